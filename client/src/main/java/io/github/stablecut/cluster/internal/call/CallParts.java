package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.CausalToken;
import io.github.stablecut.SessionId;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Encodes and decodes the components that several calls and answers share. */
final class CallParts {
  private static final int MIN_QUERY_BYTES = 3;
  private static final int MIN_UPDATE_BYTES = 3;
  private static final int MIN_KEY_BYTES = 2;

  private CallParts() {}

  static void write(CausalToken token, Encoder out) {
    out.writeSigned(token.storeId());
    out.writeSigned(token.opening());
    out.writeVector(token.vector());
  }

  static CausalToken readToken(Decoder in) {
    return new CausalToken(in.readSigned(), in.readSigned(), in.readVector());
  }

  static void write(Answer.MissingRights missing, Encoder out) {
    out.writeSigned(missing.missing());
    out.writeUnsigned(missing.rights().size());
    missing
        .rights()
        .forEach(
            (dataCentre, rights) -> {
              out.writeUnsigned(dataCentre);
              out.writeSigned(rights);
            });
  }

  static Answer.MissingRights readRights(Decoder in) {
    long missing = in.readSigned();
    SortedMap<Integer, Long> rights = new TreeMap<>();
    for (int i = in.readIndex(); i > 0; i--) {
      rights.put(in.readIndex(), in.readSigned());
    }
    return new Answer.MissingRights(missing, rights);
  }

  static <T> void writeOptional(Optional<T> value, BiConsumer<T, Encoder> content, Encoder out) {
    out.writeFlag(value.isPresent());
    value.ifPresent(present -> content.accept(present, out));
  }

  static <T> Optional<T> readOptional(Decoder in, Function<Decoder, T> content) {
    return in.readFlag() ? Optional.of(content.apply(in)) : Optional.empty();
  }

  static void write(SessionId session, Encoder out) {
    out.writeSigned(session.openedMillis());
    out.writeSigned(session.high());
    out.writeSigned(session.low());
    out.writeSigned(session.client());
    out.writeBytes(session.signature());
  }

  static SessionId readSession(Decoder in) {
    long openedMillis = in.readSigned();
    long high = in.readSigned();
    long low = in.readSigned();
    int client = (int) in.readSigned();
    Bytes signature = in.readBytes();
    if (signature.length() != 0 && signature.length() != SessionId.SIGNATURE_BYTES) {
      throw new FormatException("a session's signature of " + signature.length() + " bytes");
    }
    return new SessionId(openedMillis, high, low, client, signature);
  }

  static void writeName(Bytes id, CrdtType<?, ?, ?, ?> type, Encoder out) {
    out.writeBytes(id);
    out.writeUnsigned(type.typeId());
  }

  static CrdtType<?, ?, ?, ?> readType(Decoder in) {
    long typeId = in.readUnsigned();
    return CrdtTypes.byId(typeId)
        .orElseThrow(() -> new FormatException("this version knows no type number " + typeId));
  }

  static void write(Key<?> key, Encoder out) {
    writeName(key.id(), key.type(), out);
  }

  static Key<?> readKey(Decoder in) {
    Bytes id = in.readBytes();
    return Key.ofId(id, readType(in));
  }

  static void writeKeys(List<Key<?>> keys, Encoder out) {
    out.writeUnsigned(keys.size());
    keys.forEach(key -> write(key, out));
  }

  static List<Key<?>> readKeys(Decoder in) {
    return in.<Key<?>>readList(MIN_KEY_BYTES, CallParts::readKey);
  }

  static void writeQueries(List<Query<?>> queries, Encoder out) {
    out.writeUnsigned(queries.size());
    for (Query<?> query : queries) {
      Optional<ObjectQuery<?, ?>> question = CallQueries.question(query);
      out.writeFlag(question.isPresent());
      write(query.target(), out);
      question.ifPresent(asked -> asked.question().write(out));
    }
  }

  static List<Query<?>> readQueries(Decoder in) {
    return in.<Query<?>>readList(MIN_QUERY_BYTES, CallParts::readQuery);
  }

  private static Query<?> readQuery(Decoder in) {
    boolean isQuestion = in.readFlag();
    Key<?> key = readKey(in);
    return isQuestion ? ObjectQuery.of(key, Question.read(in)) : Key.stateOf(key.id(), key.type());
  }

  static void writeUpdates(List<Update> updates, Encoder out) {
    out.writeUnsigned(updates.size());
    for (Update update : updates) {
      write(update.key(), out);
      byte[] operation = CallTypes.encodeOperation(update.key().type(), update.operation());
      out.writeBytes(Bytes.wrap(operation));
    }
  }

  static List<Update> readUpdates(Decoder in) {
    return in.readList(MIN_UPDATE_BYTES, CallParts::readUpdate);
  }

  private static Update readUpdate(Decoder in) {
    Key<?> key = readKey(in);
    return Update.of(key, CallTypes.decodeOperation(key.type(), in));
  }

  static void write(ScanOptions range, Encoder out) {
    out.writeBytes(range.fromId());
    out.writeBytes(range.untilId());
    out.writeFlag(range.isDescending());
    out.writeFlag(range.isKeysOnly());
    out.writeUnsigned(range.limit());
  }

  static ScanOptions readRange(Decoder in) {
    ScanOptions range = ScanOptions.ofIds(in.readBytes(), in.readBytes());
    range = in.readFlag() ? range.descending() : range;
    range = in.readFlag() ? range.keysOnly() : range;
    long limit = in.readUnsigned();
    if (limit == 0) {
      throw new FormatException("a scan of nothing");
    }
    return range.limit(limit);
  }
}
