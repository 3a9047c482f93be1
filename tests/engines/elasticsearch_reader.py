# SPDX-License-Identifier: Apache-2.0
"""The learning-to-rank plugin of Elasticsearch and OpenSearch, re-read from its documentation: what it takes for a
linear model, what it refuses, and its arithmetic. A field that the plugin does not know is an error, as there."""

import json
import math
import re

import numpy as np


class Refused(Exception):
    """What the plugin answers to a request that it does not take."""


def strict(text):
    """JSON as the plugin's parser reads it: no duplicate keys, no numbers that are none."""

    def pairs(found):
        keys = [key for key, _ in found]
        if len(set(keys)) < len(keys):
            raise Refused(f"duplicate field among {keys}")
        return dict(found)

    def constant(name):
        raise Refused(f"{name} is no number")

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except ValueError as error:
        raise Refused(str(error)) from None


def fields(found, required, optional=()):
    if not isinstance(found, dict) or not set(required) <= set(found) <= {*required, *optional}:
        raise Refused(f"expected an object of {required} and perhaps {optional}: {found}")
    return found


def number(found):
    """A float of Java, which has to be finite."""
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise Refused(f"expected a float: {found!r}")
    with np.errstate(over="ignore"):
        value = np.float32(found)
    if not np.isfinite(value):
        raise Refused(f"{found} is beyond float32")
    return value


def standard(found):
    found = fields(found, ("mean", "standard_deviation"))
    mean, deviation = number(found["mean"]), number(found["standard_deviation"])
    if deviation <= 0:
        raise Refused("the standard deviation must be positive")
    return lambda x: (x - mean) / deviation


def min_max(found):
    found = fields(found, ("minimum", "maximum"))
    low, high = number(found["minimum"]), number(found["maximum"])
    if low < 0 or low >= high:
        raise Refused("the minimum must not be negative, and below the maximum")
    return lambda x: (x - low) / (high - low)


NORMALISERS = {"standard": standard, "min_max": min_max}


class LinearModel:
    """`body` is what is sent to `_createmodel`, `feature_set` the names of the set's features in their order, `derived`
    the features that an export wants added to it."""

    def __init__(self, body, feature_set, derived=""):
        request = fields(strict(body), ("model",))
        model = fields(request["model"], ("name", "model"))
        if not isinstance(model["name"], str) or not model["name"]:
            raise Refused("the name of the model")
        described = fields(model["model"], ("type", "definition"), ("feature_normalizers",))
        if described["type"] != "model/linear":
            raise Refused(described["type"])
        self.derived = self._derived(derived, feature_set)
        self.names = [*feature_set, *self.derived]
        definition = described["definition"]
        weights = strict(definition) if isinstance(definition, str) else definition
        self.weights = np.zeros(len(self.names), np.float32)
        for name, weight in fields(weights, (), self.names).items():
            self.weights[self.names.index(name)] = number(weight)
        self.normalisers = {}
        for name, found in fields(described.get("feature_normalizers", {}), (), self.names).items():
            ((kind, parameters),) = fields(found, (), NORMALISERS).items()
            self.normalisers[self.names.index(name)] = NORMALISERS[kind](parameters)

    @staticmethod
    def _derived(text, feature_set):
        """Derived features: an expression over features of the set each, compiled."""
        found = {}
        for feature in fields(strict(text), ("features",))["features"] if text else ():
            feature = fields(feature, ("name", "template_language", "template"), ("params",))
            if feature["template_language"] != "derived_expression" or feature.get("params", []) != []:
                raise Refused(f"no derived feature: {feature}")
            if feature["name"] in found or feature["name"] in feature_set:
                raise Refused(f"defined twice: {feature['name']}")
            found[feature["name"]] = Expression(feature["template"], feature_set)
        return found

    def score(self, features):
        """A feature that a document lacks is 0, and normalised as such. In float32, in the order of the set."""
        vector = np.array([features.get(name, 0.0) for name in self.names[: len(self.names) - len(self.derived)]])
        values = dict(zip(self.names, vector.tolist()))
        derived = [expression.value(values) for expression in self.derived.values()]
        vector = np.concatenate([vector, np.array(derived)]).astype(np.float32)
        with np.errstate(all="ignore"):
            for place, normalise in self.normalisers.items():
                vector[place] = normalise(vector[place])
            score = np.float32(0)
            for weight, x in zip(self.weights, vector):
                score = np.float32(score + weight * x)
        return float(score)


class Expression:
    """Lucene's expressions as far as derived features of exports go: ?:, one comparison, sums, products, functions."""

    VARIABLE = r"[A-Za-z_$][\w$]*(?:\[(?:\d+|'(?:[^'\\]|\\['\\])*')\])*"
    TOKEN = re.compile(
        rf"\s*(?:(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|({VARIABLE}(?:\.{VARIABLE})*)|([-+*/()?:<>,]))", re.ASCII
    )
    FUNCTIONS = {"ln": math.log, "abs": abs, "sqrt": math.sqrt, "exp": math.exp, "max": max, "min": min}

    def __init__(self, text, feature_set):
        self.tokens, place = [], 0
        while text[place:].strip():
            found = self.TOKEN.match(text, place)
            if not found:
                raise Refused(f"{text}: {text[place:]}")
            self.tokens.append(found.groups())
            place = found.end()
        self.feature_set = feature_set
        self.value = self._choice()
        if self.tokens:
            raise Refused(f"{text}: something behind the expression")

    def _taken(self, *signs):
        if self.tokens and self.tokens[0][2] in signs and self.tokens[0][2]:
            return self.tokens.pop(0)[2]
        return None

    def _expect(self, sign):
        if not self._taken(sign):
            raise Refused(f"expected {sign}: {self.tokens}")

    def _choice(self):
        test = self._sum()
        if sign := self._taken("<", ">"):
            left, right = test, self._sum()
            test = (lambda v: left(v) < right(v)) if sign == "<" else (lambda v: left(v) > right(v))
        if not self._taken("?"):
            return test
        yes = self._choice()
        self._expect(":")
        no = self._choice()
        return lambda v: yes(v) if test(v) else no(v)

    def _sum(self):
        value = self._product()
        while sign := self._taken("+", "-"):
            value = self._joined(value, self._product(), sign)
        return value

    def _product(self):
        value = self._unary()
        while sign := self._taken("*", "/"):
            value = self._joined(value, self._unary(), sign)
        return value

    @staticmethod
    def _joined(left, right, sign):
        operation = {"+": float.__add__, "-": float.__sub__, "*": float.__mul__, "/": float.__truediv__}[sign]
        return lambda v: operation(float(left(v)), float(right(v)))

    def _unary(self):
        if self._taken("-"):
            value = self._unary()
            return lambda v: -value(v)
        if self._taken("("):
            value = self._choice()
            self._expect(")")
            return value
        number, name, _ = self.tokens.pop(0) if self.tokens else (None, None, None)
        if number:
            return lambda v: float(number)
        if name and self._taken("("):
            return self._call(name)
        if name not in self.feature_set:
            raise Refused(f"refers to an unknown feature: {name}")
        return lambda v: float(v[name])

    def _call(self, name):
        arguments = [self._choice()]
        while self._taken(","):
            arguments.append(self._choice())
        self._expect(")")
        if name not in self.FUNCTIONS:
            raise Refused(f"no function {name}")
        return lambda v: self.FUNCTIONS[name](*(argument(v) for argument in arguments))
