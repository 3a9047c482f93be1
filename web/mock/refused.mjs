// SPDX-License-Identifier: Apache-2.0
/** A request that is answered with a status and a reason. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}
