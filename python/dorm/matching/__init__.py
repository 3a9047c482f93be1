# SPDX-License-Identifier: Apache-2.0
"""Graph matching, and assignments of documents to positions."""

from ._assign import Assignment, assign
from ._graphs import Graph, GraphMatch
from ._matcher import GraphMatcher

__all__ = ["Assignment", "Graph", "GraphMatch", "GraphMatcher", "assign"]
