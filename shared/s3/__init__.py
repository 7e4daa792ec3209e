"""S3 servers: the only package that imports minio.

`opening` opens a bucket, creates it and finds out what it can do, `bucket` reads and writes objects. `location` is the
data, `errors` maps what goes wrong.
"""
