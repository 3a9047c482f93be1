# SPDX-License-Identifier: Apache-2.0
"""Rankers, their parameters and their training data."""
