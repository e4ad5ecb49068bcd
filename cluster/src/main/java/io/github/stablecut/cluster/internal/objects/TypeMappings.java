package io.github.stablecut.cluster.internal.objects;

import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.crdt.CrdtType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The mappings of all types that both the protocol and Stablecut have. */
public final class TypeMappings {
  private static final List<TypeMapping<?, ?>> ALL =
      List.of(
          new CounterMappings.Plain(),
          new CounterMappings.Fat(),
          new CounterMappings.Bounded(),
          SetMapping.addWins(),
          SetMapping.removeWins(),
          new RegisterMappings.LastWriterWins(),
          new RegisterMappings.MultiValue(),
          FlagMapping.enableWins(),
          FlagMapping.disableWins(),
          new MapMappings.GrowOnly(),
          new MapMappings.RecursiveReset());

  private static final Map<WireType, TypeMapping<?, ?>> BY_WIRE_TYPE =
      ALL.stream()
          .collect(Collectors.toUnmodifiableMap(TypeMapping::wireType, Function.identity()));

  private static final Map<Integer, TypeMapping<?, ?>> BY_TYPE_ID =
      ALL.stream()
          .collect(Collectors.toUnmodifiableMap(m -> m.type().typeId(), Function.identity()));

  private TypeMappings() {}

  /** The mapping of a protocol type; every one has a mapping. */
  public static TypeMapping<?, ?> of(WireType type) {
    TypeMapping<?, ?> mapping = BY_WIRE_TYPE.get(type);
    if (mapping == null) {
      throw new AssertionError("no mapping of " + type);
    }
    return mapping;
  }

  /** The mapping of a Stablecut type; empty if the protocol has no such type. */
  public static Optional<TypeMapping<?, ?>> of(CrdtType<?, ?, ?, ?> type) {
    return Optional.ofNullable(BY_TYPE_ID.get(type.typeId()));
  }
}
