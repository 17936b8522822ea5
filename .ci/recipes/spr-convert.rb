# A formula of Homebrew, which builds the program from the source of the release.
class SprConvert < Formula
  desc "Converts speech data between any two formats"
  homepage "@repository@"
  url "@repository@/releases/download/v@version@/spr-convert-@version@.tar.gz"
  sha256 "@sha256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"spr-convert", "completions")
    system bin/"spr-convert", "man", "--dir", man1
  end

  test do
    (testpath/"a.jsonl").write %({"key":"ann","features":{"dtype":"f32","shape":[2,2],"data":[[1,2],[3,4]]}}\n)
    system bin/"spr-convert", "a.jsonl", "a.pfile"
    assert_match "1 utterance", shell_output("#{bin}/spr-convert info a.pfile")
  end
end
