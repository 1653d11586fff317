//===- DimExprTest.cpp - Laws of dimension expressions ----------*- C++ -*-===//
//
// Part of Dragoman, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "runtime/artifact/DimExpr.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace dragoman;

namespace {

DimExpr parsed(std::string_view text) {
  Result<DimExpr> result = DimExpr::parse(text);
  EXPECT_TRUE(result.isOk()) << result.status().toString();
  return result ? *result : DimExpr(-424242);
}

const DimExpr b = DimExpr::dim("B"), s = DimExpr::dim("S"),
              t = DimExpr::dim("T"), cap = DimExpr::dim("Cap");

TEST(DimExpr, equalPolynomialsHaveEqualText) {
  EXPECT_EQ((b + s) * (b - s), b * b - s * s);
  EXPECT_EQ((b * s * 4 + 7).str(), "4*B*S + 7");
  EXPECT_EQ((s * b * 4 + DimExpr::max(16, s) + 7).str(),
            "4*B*S + max(S,16) + 7");
  EXPECT_EQ((b - b).str(), "0");
  EXPECT_EQ((DimExpr(7) - b * 2).str(), "-2*B + 7");
  EXPECT_EQ((DimExpr(0) - b).str(), "-B");
  EXPECT_NE(b * s, b + s);
  EXPECT_EQ(DimExpr(INT64_MIN).str(), "-9223372036854775808");
}

TEST(DimExpr, constantAndDimNameOnlyWhenExact) {
  EXPECT_EQ((b - b + 3).constant(), 3);
  EXPECT_EQ(DimExpr().constant(), 0);
  EXPECT_EQ((b + 3).constant(), std::nullopt);
  EXPECT_EQ(b.dimName(), "B");
  EXPECT_EQ((b * 2).dimName(), "");
  EXPECT_EQ(DimExpr::max(b, s).dimName(), "");
}

TEST(DimExpr, exactDivideNeedsEveryTerm) {
  EXPECT_EQ((b * s * 32 + b * 16).exactDivide(b * 16), s * 2 + 1);
  EXPECT_EQ((b * s * 32 + 16).exactDivide(b * 16), std::nullopt);
  EXPECT_EQ((b * 12).exactDivide(8), std::nullopt);
  EXPECT_EQ(DimExpr(0).exactDivide(8), DimExpr(0));
}

TEST(DimExpr, divisionsFold) {
  EXPECT_EQ(DimExpr::ceilDiv(17, 16).constant(), 2);
  EXPECT_EQ(DimExpr::floorDiv(-17, 16).constant(), -2);
  EXPECT_EQ(DimExpr::ceilDiv(b * s * 16, 16), b * s);
  EXPECT_EQ(DimExpr::ceilDiv(b * s, s), b);
  EXPECT_EQ(DimExpr::ceilDiv(b * 16 + s + 33, 16).str(),
            "B + ceildiv(S + 1,16) + 2");
  EXPECT_EQ(DimExpr::ceilDiv(b * 4, 16), DimExpr::ceilDiv(b, 4));
  EXPECT_EQ(DimExpr::ceilDiv(b * 4 + 3, 16), DimExpr::ceilDiv(b + 1, 4));
  EXPECT_EQ(DimExpr::floorDiv(b * 4 + 3, 16), DimExpr::floorDiv(b, 4));
  EXPECT_EQ(DimExpr::ceilDiv(DimExpr::ceilDiv(b, 4), 16),
            DimExpr::ceilDiv(b, 64));
  EXPECT_EQ(DimExpr::ceilDiv(s, 16).str(), "ceildiv(S,16)");
}

TEST(DimExpr, alignmentOfAnAlignedExpressionFolds) {
  EXPECT_EQ(DimExpr::alignTo(b * 128, 64), b * 128);
  EXPECT_EQ(DimExpr::alignTo(DimExpr::alignTo(b * 4, 64), 64),
            DimExpr::alignTo(b * 4, 64));
  EXPECT_EQ(DimExpr::alignTo(DimExpr::alignTo(b, 64) + s * 64, 64),
            DimExpr::alignTo(b, 64) + s * 64);
  EXPECT_EQ(DimExpr::alignTo(DimExpr::alignTo(b, 16), 64),
            DimExpr::alignTo(b, 64));
}

TEST(DimExpr, extremaFoldWhereTheDifferenceDecides) {
  EXPECT_EQ(DimExpr::max(b * s * 8, b * s * 4), b * s * 8);
  EXPECT_EQ(DimExpr::max(b * s, b * s + s), b * s + s);
  EXPECT_EQ(DimExpr::min(b * s, b * s + s), b * s);
  EXPECT_EQ(DimExpr::max(b, 0), b);
  EXPECT_EQ(DimExpr::max(b, s).str(), "max(B,S)");
  EXPECT_EQ(DimExpr::max(b, s), DimExpr::max(s, b));
  EXPECT_EQ(DimExpr::max(DimExpr::max(b, s), b), DimExpr::max(b, s));
  EXPECT_EQ(DimExpr::max(t, DimExpr::max(s, b)).str(), "max(B,S,T)");
  EXPECT_EQ(DimExpr::max(DimExpr::max(b, s), b + s), b + s);
  EXPECT_EQ(DimExpr::max(DimExpr::alignTo(b, 16), b), DimExpr::alignTo(b, 16));
  EXPECT_EQ(DimExpr::min(DimExpr::floorDiv(b, 3) * 3, b),
            DimExpr::floorDiv(b, 3) * 3);
  EXPECT_EQ(DimExpr::max(DimExpr::max(b, 16) * s, s * 16),
            DimExpr::max(b, 16) * s);
}

TEST(DimExpr, signProofsAreNotOptimistic) {
  EXPECT_FALSE((b - s).provablyNonNegative());
  EXPECT_FALSE((b * s - s).provablyNonNegative()); // B may be 0
  EXPECT_FALSE((b - 1).provablyNonNegative());
  EXPECT_FALSE((DimExpr::min(b, s) - s).provablyNonNegative());
  // A sum stands among the operands of a maximum, with calls around it.
  DimExpr rows = DimExpr::min(b * s, 256);
  DimExpr lines = DimExpr::ceilDiv(rows, 2) + rows * 312;
  DimExpr most = DimExpr::max(DimExpr::max(b * 24, s * 24),
                              DimExpr::max(lines, DimExpr(1)));
  EXPECT_TRUE(
      (most * 64 + DimExpr::max(b, s * 8) - lines * 64).provablyNonNegative());
  EXPECT_TRUE((s - DimExpr::min(b, s)).provablyNonNegative());
  EXPECT_TRUE((b + 16 - DimExpr::alignTo(b, 16)).provablyNonNegative());
  EXPECT_FALSE((b + 14 - DimExpr::alignTo(b, 16)).provablyNonNegative());
}

TEST(DimExpr, substituteFoldsAgain) {
  DimExpr e = DimExpr::alignTo(b * s, 16) + DimExpr::max(b, s);
  auto value = [](const std::string &name) -> std::optional<DimExpr> {
    if (name == "S")
      return DimExpr(16);
    return std::nullopt;
  };
  EXPECT_EQ(e.substitute(value), b * 16 + DimExpr::max(b, 16));
  EXPECT_THAT(e.names(), testing::ElementsAre("B", "S"));
}

TEST(DimExpr, parseErrorsNameColumnAndExpectation) {
  auto message = [](std::string_view text) {
    return DimExpr::parse(text).status().message();
  };
  EXPECT_EQ(message("4*"),
            "column 3: expected a number, a name or '(', found the end");
  EXPECT_EQ(message("max(B 3)"), "column 7: expected ',', found '3'");
  EXPECT_EQ(message("mod(B,3)"),
            "column 1: expected ceildiv, floordiv, max, min or align, found "
            "'m'");
  EXPECT_EQ(message("B S"),
            "column 3: expected an operator or the end, found 'S'");
  EXPECT_EQ(message("99999999999999999999"),
            "column 1: expected a number that fits int64, found '9'");
  EXPECT_EQ(message("9223372036854775807*2"),
            "expression left the range of int64");
  EXPECT_FALSE(DimExpr::parse(std::string(1000, '(')).isOk());
  std::string power = "(A+B+C+D+E+F+G+H)";
  for (int i = 0; i < 6; ++i)
    power += "*" + power;
  EXPECT_FALSE(DimExpr::parse(power).isOk());
  EXPECT_EQ(parsed(" align ( S , 16 ) "), DimExpr::alignTo(s, 16));
  EXPECT_EQ(parsed("-9223372036854775808"), DimExpr(INT64_MIN));
}

TEST(DimExpr, evaluationReportsWhatItCannot) {
  EXPECT_EQ(*(b * s + 1).evaluate({{"B", 3}, {"S", 5}}), 16);
  Result<int64_t> unknown = (b * s).evaluate({{"B", 3}});
  EXPECT_EQ(unknown.status().toString(), "'B*S': unknown dimension 'S'");
  Result<int64_t> huge = (b * b).evaluate({{"B", INT64_MAX}});
  EXPECT_EQ(huge.status().toString(), "'B*B' overflows or divides by zero");
  EXPECT_FALSE(DimExpr::ceilDiv(b, s).evaluate({{"B", 3}, {"S", 0}}).isOk());
  Result<DimProgram> program = DimProgram::compile(b * b, {"B"});
  ASSERT_TRUE(program.isOk());
  int64_t value = INT64_MAX;
  EXPECT_EQ(program->evaluate(&value), INT64_MAX);
}

TEST(DimExpr, maximumOverIsTheSumOfTheTermsMaxima) {
  auto maximum = [](const char *text) {
    std::optional<DimExpr> found =
        DimExpr::parse(text)->maximumOver("i", *DimExpr::parse("N - 1"));
    return found ? found->str() : "none";
  };
  EXPECT_EQ(maximum("4*B*i + 4*B"), "4*B*N");
  EXPECT_EQ(maximum("min(M - 256*i, 256)"), "min(M,256)");
  EXPECT_EQ(maximum("1024*i + min(M - 256*i, 256)"),
            "1024*N + min(M,256) - 1024");
  EXPECT_EQ(maximum("ceildiv(B + 3*i, 4)"), "ceildiv(B + 3*N + 1,4) - 1");
  EXPECT_EQ(maximum("max(B - i, 3) - S"), "-S + max(B,3)");
  EXPECT_EQ(maximum("B*S"), "B*S");
  EXPECT_EQ(maximum("i*i"), "none");
  EXPECT_EQ(maximum("max(i, B - i)"), "none");
  EXPECT_EQ(maximum("ceildiv(B, i)"), "none");
  EXPECT_EQ(maximum("i*min(B - S, S)"), "none");
}

TEST(DimExpr, longMaximaStayFlat) {
  DimExpr e;
  for (int i = 0; i < 100; ++i)
    e = DimExpr::max(e, DimExpr::dim("d" + std::to_string(i)) * (i + 1));
  EXPECT_EQ(parsed(e.str()), e);
  std::map<std::string, int64_t> dims;
  for (int i = 0; i < 100; ++i)
    dims["d" + std::to_string(i)] = i == 40 ? 1000 : 1;
  EXPECT_EQ(*e.evaluate(dims), 41000);
}

/// A random expression built twice: as a DimExpr and as its direct value.
struct Sample {
  DimExpr expr;
  int64_t value;
};

int64_t floorQuotient(int64_t a, int64_t c) {
  return static_cast<int64_t>(std::floor(static_cast<long double>(a) / c));
}

Sample randomSample(std::mt19937 &random, int depth, const int64_t (&dims)[3]) {
  static const char *const names[] = {"B", "S", "T"};
  if (depth == 0 || random() % 5 == 0) {
    if (random() % 2) {
      int64_t value = static_cast<int64_t>(random() % 41) - 8;
      return {DimExpr(value), value};
    }
    int which = random() % 3;
    return {DimExpr::dim(names[which]), dims[which]};
  }
  Sample x = randomSample(random, depth - 1, dims);
  Sample y = randomSample(random, depth - 1, dims);
  int64_t divisor = int64_t(1) << (random() % 6);
  if (random() % 2)
    divisor = random() % 12 + 1;
  switch (random() % 8) {
  case 0:
    return {x.expr - y.expr, x.value - y.value};
  case 1:
    return {x.expr * y.expr, x.value * y.value};
  case 2:
    return {DimExpr::max(x.expr, y.expr), std::max(x.value, y.value)};
  case 3:
    return {DimExpr::min(x.expr, y.expr), std::min(x.value, y.value)};
  case 4:
    return {DimExpr::ceilDiv(x.expr, divisor),
            -floorQuotient(-x.value, divisor)};
  case 5:
    return {DimExpr::floorDiv(x.expr, divisor),
            floorQuotient(x.value, divisor)};
  case 6:
    return {DimExpr::alignTo(x.expr, divisor),
            -floorQuotient(-x.value, divisor) * divisor};
  default:
    return {x.expr + y.expr, x.value + y.value};
  }
}

TEST(DimExpr, randomExpressionsEvaluateLikeTheirOperations) {
  for (uint32_t seed = 0; seed < 4000; ++seed) {
    std::mt19937 random(seed);
    int64_t dims[3];
    for (int64_t &dim : dims)
      dim = random() % 40;
    Sample sample = randomSample(random, 3, dims);
    std::map<std::string, int64_t> values{
        {"B", dims[0]}, {"S", dims[1]}, {"T", dims[2]}};
    Result<int64_t> value = sample.expr.evaluate(values);
    ASSERT_TRUE(value.isOk()) << "seed " << seed;
    EXPECT_EQ(*value, sample.value)
        << "seed " << seed << ": " << sample.expr.str();
    Result<DimExpr> again = DimExpr::parse(sample.expr.str());
    ASSERT_TRUE(again.isOk())
        << "seed " << seed << ": " << again.status().toString();
    EXPECT_EQ(*again, sample.expr) << "seed " << seed;
    EXPECT_EQ(again->str(), sample.expr.str()) << "seed " << seed;
    if (sample.expr.provablyNonNegative())
      EXPECT_GE(sample.value, 0)
          << "seed " << seed << ": " << sample.expr.str();
  }
}

} // namespace
