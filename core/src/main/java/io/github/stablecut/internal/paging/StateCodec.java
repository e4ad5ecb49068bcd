package io.github.stablecut.internal.paging;

import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import io.github.stablecut.crdt.codec.CrdtCodec;

/** Encodes and decodes states whose static type is unknown. */
final class StateCodec {
  private StateCodec() {}

  @SuppressWarnings("unchecked") // the states of an object are those of its type
  private static CrdtType<Object, ?, ?, ?> of(CrdtType<?, ?, ?, ?> type) {
    return (CrdtType<Object, ?, ?, ?>) type;
  }

  static byte[] encode(CrdtType<?, ?, ?, ?> type, Object state, PageWriter pages) {
    return CrdtCodec.encodeState(of(type), state, pages);
  }

  static Object decode(CrdtType<?, ?, ?, ?> type, byte[] state) {
    return CrdtCodec.decodeState(of(type), state);
  }

  static Object decode(CrdtType<?, ?, ?, ?> type, byte[] state, Pages pages) {
    return CrdtCodec.decodeState(of(type), state, pages);
  }
}
