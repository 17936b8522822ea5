//! Features and labels of frames.

use super::*;

#[test]
fn features() {
    refused(
        framed,
        &[
            (
                |c| c.features = None,
                SAME,
                "has features, which the format can't hold",
            ),
            (
                |_| {},
                |u| drop(u.features_mut().cast(Dtype::F64, &Limits::default())),
                "has features of f64, which the format can't hold",
            ),
            (
                |c| features_of(c).vectors = false,
                |u| (u.features, u.labels) = (Some(vector(2)), None),
                "has features that are not a matrix, which the format can't hold",
            ),
            (
                |_| {},
                |u| (u.features, u.labels) = (Some(vector(2)), None),
                "",
            ),
            (
                |c| features_of(c).scalars = false,
                |u| (u.features, u.labels) = (Some(scalar()), None),
                "has a single number, which the format can't hold",
            ),
            (
                |_| {},
                |u| (u.features, u.labels) = (Some(scalar()), None),
                "",
            ),
            (
                |c| c.columnless = false,
                |u| (u.features, u.labels) = (Some(matrix(2, 0)), None),
                "has frames of 0 columns, which the format can't hold",
            ),
            (
                |c| c.columnless = false,
                |u| (u.features, u.labels) = (Some(matrix(0, 0)), None),
                "",
            ),
            (
                |c| c.empty = Empty::Shapeless,
                |u| (u.features, u.labels) = (Some(matrix(0, 3)), None),
                "has columns but no frames, which the format can't hold",
            ),
            (
                |c| c.empty = Empty::Shapeless,
                |u| (u.features, u.labels) = (Some(matrix(0, 0)), None),
                "",
            ),
            (
                |c| c.empty = Empty::Refused,
                |u| (u.features, u.labels) = (Some(matrix(0, 3)), None),
                "has no frames, which the format can't hold",
            ),
        ],
    );
}

#[test]
fn sizes_of_features() {
    refused(
        framed,
        &[
            (
                |c| features_of(c).needs_shift = true,
                SAME,
                "has features whose frame shift is unknown",
            ),
            (
                |c| features_of(c).needs_shift = true,
                |u| u.meta.frame_shift = Some(at("0.01")),
                "",
            ),
            (
                |c| features_of(c).cols = Some(3),
                SAME,
                "has 2 columns, the format holds 3",
            ),
            (|c| features_of(c).cols = Some(2), SAME, ""),
            (
                |c| features_of(c).max_cols = 1,
                SAME,
                "2 columns, the format holds at most 1",
            ),
            (|c| features_of(c).max_cols = 2, SAME, ""),
            (
                |c| c.max_rows = 1,
                SAME,
                "2 frames, the format holds at most 1",
            ),
            (|c| c.max_rows = 2, SAME, ""),
            (
                |_| {},
                |u| (u.features, u.labels) = (None, None),
                "has nothing that the format can hold",
            ),
        ],
    );
    let mut caps = full();
    let features = caps.features.as_mut().unwrap();
    (features.cols, features.cols_option) = (Some(3), Some("dim"));
    let error = caps.check(&framed()).unwrap_err();
    let hint = "the option dim sets how many values a frame has";
    assert_eq!(error.hint_text().unwrap(), hint);
}

fn features_of(caps: &mut Caps) -> &mut FeatureCaps {
    caps.features.as_mut().unwrap()
}

fn labels_of(caps: &mut Caps) -> &mut LabelCaps {
    caps.labels.as_mut().unwrap()
}

fn vector(rows: usize) -> Matrix {
    Matrix::from_rows(&vec![0.5f32; rows], 1, Rank::Vector).unwrap()
}

fn scalar() -> Matrix {
    Matrix::from_rows(&[0.5f32], 1, Rank::Scalar).unwrap()
}

#[test]
fn frame_labels() {
    refused(
        framed,
        &[
            (
                |c| c.labels = None,
                SAME,
                "has labels, which the format can't hold",
            ),
            (
                |c| labels_of(c).with_features = false,
                SAME,
                "has features and labels together, which the format can't hold",
            ),
            (
                |c| labels_of(c).alone = false,
                |u| u.features = None,
                "has labels without features, which the format can't hold",
            ),
            (|_| {}, |u| u.features = None, ""),
            (
                |_| {},
                |u| u.labels = Some(labels(3, 1)),
                "2 frames of features, but labels for 3",
            ),
            (
                |c| labels_of(c).dtypes = &[Dtype::U8],
                SAME,
                "has labels of i32, which the format can't hold",
            ),
            (
                |c| labels_of(c).max_columns = 1,
                |u| u.labels = Some(labels(2, 2)),
                "has 2 labels per frame, which the format can't hold",
            ),
            (
                |c| labels_of(c).max_columns = 2,
                |u| u.labels = Some(labels(2, 2)),
                "",
            ),
            // A vector can't say that there are no labels.
            (
                |c| labels_of(c).max_columns = 1,
                |u| (u.features, u.labels) = (None, Some(empty(0))),
                "has 0 labels per frame, which the format can't hold",
            ),
            (
                |c| labels_of(c).max_columns = 2,
                |u| (u.features, u.labels) = (None, Some(empty(0))),
                "",
            ),
            (
                |c| labels_of(c).max_columns = 1,
                |u| (u.features, u.labels) = (None, Some(empty(1))),
                "",
            ),
            (
                |c| c.columnless = false,
                |u| u.labels = Some(matrix_of(2, 0)),
                "has 0 labels per frame, which the format can't hold",
            ),
            (|_| {}, |u| u.labels = Some(matrix_of(2, 0)), ""),
            (
                |_| {},
                |u| u.labels = Some(Matrix::from_rows(&[1i32], 1, Rank::Scalar).unwrap()),
                "2 frames of features, but labels for 1",
            ),
            (
                |_| {},
                |u| {
                    (u.features, u.labels) = (
                        None,
                        Some(Matrix::from_rows(&[1i32], 1, Rank::Scalar).unwrap()),
                    )
                },
                "has 1 labels per frame, which the format can't hold",
            ),
        ],
    );
}

fn matrix_of(rows: usize, cols: usize) -> Matrix {
    let mut matrix = Matrix::default();
    matrix
        .reset(Dtype::I32, Rank::Matrix, rows, cols, &Limits::default())
        .unwrap();
    matrix
}

/// No frames of so many columns of labels.
fn empty(cols: usize) -> Matrix {
    matrix_of(0, cols)
}
