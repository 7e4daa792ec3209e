"""Content, style and program of report.html. Files are read and written in `outputs.report_file`."""
