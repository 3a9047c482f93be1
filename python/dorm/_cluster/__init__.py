# SPDX-License-Identifier: Apache-2.0
"""Rows on a cluster: shards, and how Dask and Spark hold them."""
