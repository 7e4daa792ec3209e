"""What was done at a sample: its row, its steps and the pages that were stored, kept and read in one way."""
