package io.github.stablecut.internal.materializer;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.EffectOrigin;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.codec.CrdtCodec;
import java.util.List;
import java.util.Optional;

/**
 * Calls methods of types whose type parameters are unknown. An object's states, operations and
 * effects are always those of its type, which the compiler can't verify; this class contains the
 * only unchecked casts for that.
 */
public final class CallTypes {
  private CallTypes() {}

  @SuppressWarnings(
      "unchecked") // states, operations and effects of an object are those of its type
  private static CrdtType<Object, Object, Object, Object> of(CrdtType<?, ?, ?, ?> type) {
    return (CrdtType<Object, Object, Object, Object>) type;
  }

  /** {@link CrdtType#apply}. */
  public static Object apply(
      CrdtType<?, ?, ?, ?> type, Object state, Object effect, EffectOrigin origin) {
    return of(type).apply(state, effect, origin);
  }

  /** {@link CrdtType#needsState}. */
  public static boolean needsState(CrdtType<?, ?, ?, ?> type, Object operation) {
    return of(type).needsState(operation);
  }

  /** {@link CrdtType#needsCertification}. */
  public static boolean needsCertification(CrdtType<?, ?, ?, ?> type, Object operation) {
    return of(type).needsCertification(operation);
  }

  /** {@link CrdtType#footprints}. */
  public static List<Footprint> footprints(CrdtType<?, ?, ?, ?> type, Object operation) {
    return of(type).footprints(operation);
  }

  /** {@link CrdtType#touches}. */
  public static boolean touches(CrdtType<?, ?, ?, ?> type, Object effect, Footprint footprint) {
    return of(type).touches(effect, footprint);
  }

  /** {@link CrdtType#downstream}. */
  public static Object downstream(
      CrdtType<?, ?, ?, ?> type, Object operation, Object state, OperationContext context) {
    return of(type).downstream(operation, state, context);
  }

  /** {@link CrdtCodec#encodeEffect}. */
  public static byte[] encodeEffect(CrdtType<?, ?, ?, ?> type, Object effect) {
    return CrdtCodec.encodeEffect(of(type), effect);
  }

  /** {@link CrdtCodec#decodeEffect}. */
  public static Object decodeEffect(CrdtType<?, ?, ?, ?> type, byte[] effect) {
    return CrdtCodec.decodeEffect(of(type), effect);
  }

  /** {@link CrdtCodec#encodeOperation}. */
  public static byte[] encodeOperation(CrdtType<?, ?, ?, ?> type, Object operation) {
    return CrdtCodec.encodeOperation(of(type), operation);
  }

  /** {@link CrdtCodec#decodeOperation}. */
  public static Object decodeOperation(CrdtType<?, ?, ?, ?> type, byte[] operation) {
    return CrdtCodec.decodeOperation(of(type), operation);
  }

  /** {@link CrdtCodec#decodeOperation}, for the bytes that a decoder reads next. */
  public static Object decodeOperation(CrdtType<?, ?, ?, ?> type, Decoder in) {
    return CrdtCodec.decodeOperation(of(type), in.readBytes().unwrap(), Optional.of(in));
  }

  /** {@link CrdtCodec#weighOperation}. */
  public static long weighOperation(CrdtType<?, ?, ?, ?> type, Object operation) {
    return CrdtCodec.weighOperation(of(type), operation);
  }

  /** {@link CrdtType#prune}. */
  public static Object prune(CrdtType<?, ?, ?, ?> type, Object state, VectorClock frontier) {
    return of(type).prune(state, frontier);
  }

  /** {@link CrdtCodec#encodeState}. */
  public static byte[] encodeState(CrdtType<?, ?, ?, ?> type, Object state) {
    return CrdtCodec.encodeState(of(type), state);
  }

  /** {@link CrdtCodec#encodeState(CrdtType, Object, long)}. */
  public static Optional<byte[]> encodeState(CrdtType<?, ?, ?, ?> type, Object state, long most) {
    return CrdtCodec.encodeState(of(type), state, most);
  }

  /** {@link CrdtCodec#measureState}. */
  public static long measureState(CrdtType<?, ?, ?, ?> type, Object state) {
    return CrdtCodec.measureState(of(type), state);
  }

  /** {@link CrdtCodec#decodeState}. */
  public static Object decodeState(CrdtType<?, ?, ?, ?> type, byte[] state) {
    return CrdtCodec.decodeState(of(type), state);
  }
}
