# SPDX-License-Identifier: Apache-2.0
"""Arrays, frames and files as data sets of the core."""
