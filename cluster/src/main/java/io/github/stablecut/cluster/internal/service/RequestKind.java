package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.antidote.Request;
import java.util.Locale;

/** What requests are counted by. */
public enum RequestKind {
  START,
  READ,
  UPDATE,
  COMMIT,
  ABORT,
  STATIC_READ,
  STATIC_UPDATE,
  VALIDATE,
  /** Data centres. */
  ADMINISTRATION,
  /** What is no request. */
  INVALID;

  static RequestKind of(Request request) {
    if (request instanceof Request.StaticRead) {
      return STATIC_READ;
    } else if (request instanceof Request.StaticUpdate) {
      return STATIC_UPDATE;
    } else if (request instanceof Request.Read) {
      return READ;
    } else if (request instanceof Request.Update) {
      return UPDATE;
    } else if (request instanceof Request.Start) {
      return START;
    } else if (request instanceof Request.Commit) {
      return COMMIT;
    } else if (request instanceof Request.Abort) {
      return ABORT;
    }
    return request instanceof Request.Validate ? VALIDATE : ADMINISTRATION;
  }

  /** The name that metrics use. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
