package io.github.stablecut.cluster.internal.client;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Values;
import io.github.stablecut.cluster.NotInProtocolException;
import io.github.stablecut.cluster.ServerUnavailableException;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.cluster.internal.objects.TypeMapping;
import io.github.stablecut.cluster.internal.objects.TypeMappings;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.InvalidTokenException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keys, updates, values and tokens as the protocol has them. */
final class RemoteObjects {
  private RemoteObjects() {}

  static BoundObject object(Key<?> key) {
    return new BoundObject(key.key(), mapping(key).wireType(), key.bucket());
  }

  static List<BoundObject> objects(List<? extends Query<?>> queries) {
    List<BoundObject> objects = new ArrayList<>(queries.size());
    queries.forEach(query -> objects.add(object(query.target())));
    return objects;
  }

  private static TypeMapping<?, ?> mapping(Key<?> key) {
    return TypeMappings.of(key.type())
        .orElseThrow(
            () ->
                new NotInProtocolException(
                    "the protocol has no %s, so %s can't be used from here: use it in the server's process"
                        .formatted(key.type().name(), key)));
  }

  static List<ObjectUpdate> updates(Update... updates) {
    List<ObjectUpdate> wire = new ArrayList<>(updates.length);
    for (Update update : updates) {
      wire.add(
          new ObjectUpdate(
              object(update.key()), mapping(update.key()).operationToWire(update.operation())));
    }
    return wire;
  }

  /** The answers to queries, from the values of their objects: the protocol has no others. */
  static Values values(List<? extends Query<?>> queries, List<WireValue> wire, CausalToken at) {
    Map<Query<?>, Object> values = new LinkedHashMap<>();
    for (int i = 0; i < queries.size(); i++) {
      Query<?> query = queries.get(i);
      values.put(query, query.view(mapping(query.target()).state(wire.get(i)), at.vector()));
    }
    return new Values(values, at);
  }

  static Bytes clock(CausalToken token) {
    return Bytes.utf8(token.toText());
  }

  static CausalToken token(Bytes clock) {
    try {
      return CausalToken.parse(clock.toUtf8());
    } catch (InvalidTokenException e) {
      throw new ServerUnavailableException(
          "the server's clock is not one of Stablecut's: connect to a Stablecut server", e);
    }
  }
}
