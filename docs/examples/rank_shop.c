/* SPDX-License-Identifier: Apache-2.0
 * Ranks three products of an invented shop by the model in shop.h (docs/deploy.md). */
#include <stdio.h>

#include "shop.h"

int main(void) {
  const float products[3][shop_num_features] = {
      {9.5F, 1, 3, 4.5F, 30}, /* bm25, title, sales, rating, age */
      {12.0F, 0, 50, 2.0F, 400},
      {7.0F, 1, 12, 5.0F, 90},
  };
  double scores[3];
  size_t i;
  for (i = 0; i < shop_num_features; ++i) printf("%s ", shop_feature(i));
  shop_score_list(&products[0][0], 3, scores);
  for (i = 0; i < 3; ++i) printf("\nproduct %d: %.4f", (int)i + 1, scores[i]);
  printf("\n");
  return 0;
}
