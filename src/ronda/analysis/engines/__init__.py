"""Engines: they answer questions over Parquet segments. One contract, one suite of tests for all of them."""
