package io.github.stablecut.console;

import io.github.stablecut.Snapshot;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.tools.PointInTime;
import io.github.stablecut.web.Arguments;
import io.github.stablecut.web.WebException;
import java.util.Base64;

/**
 * The parameters of the object browser's requests. Buckets and keys are base64url, because they may
 * be any bytes.
 */
final class RequestParameters {
  private static final int MAX_CHARACTERS = 64 << 10;

  private RequestParameters() {}

  /** A required bucket or key. */
  static Bytes bytes(Arguments arguments, String name) {
    String text = arguments.text(name, MAX_CHARACTERS);
    try {
      return Bytes.wrap(Base64.getUrlDecoder().decode(text));
    } catch (IllegalArgumentException e) {
      throw WebException.badRequest(name + " is not base64url");
    }
  }

  /** An optional bucket or key; empty if it is missing. */
  static Bytes bytesOrNone(Arguments arguments, String name) {
    return arguments.has(name) ? bytes(arguments, name) : Bytes.EMPTY;
  }

  /** Encodes bytes for a later request. */
  static String encoded(Bytes bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toArray());
  }

  /** The type of an object, given by its number. */
  static CrdtType<?, ?, ?, ?> type(Arguments arguments) {
    int number = arguments.number("type", 0, Integer.MAX_VALUE);
    return CrdtTypes.byId(number)
        .orElseThrow(() -> WebException.badRequest("no type has number " + number));
  }

  /** The requested point: a time, a token, or now. */
  static Snapshot snapshot(Store store, Arguments arguments) {
    if (!arguments.has("at")) {
      return store.snapshot();
    }
    return PointInTime.snapshot(store, arguments.text("at", 1_000));
  }
}
