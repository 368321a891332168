"""One file is one predictor; its name is the file's. Each has `make(terms)`."""
