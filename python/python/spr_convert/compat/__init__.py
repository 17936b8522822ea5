"""The calls of other packages, over this one."""
