"""S3 servers, asked in one way: the only package that imports minio.

`opening` opens a bucket, `preparing` makes it where there is none, `bucket` reads and writes there; `place` says where
something lies, `told` what a server tells of it, `failures` in our words what went wrong.
"""
