"""What report.html says of a run, and how it looks. Pure: bytes and files are handled in `adapters.report_file`."""
