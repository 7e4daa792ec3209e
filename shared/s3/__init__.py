"""S3 servers: the only package that imports minio, which the extra ``s3`` brings.

`opening` opens a bucket, `features` creates it and finds out what it can do, `bucket` reads and writes objects through
the `client`. `location` is the data, `errors` maps what goes wrong. Of these, `opening` and `location` can be imported
without the extra.
"""
