package io.github.stablecut.internal.partition;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.QuestionCodec;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Update;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes conditional writes, and the answers to their queries, for messages between nodes. No file
 * contains them. Thread-safe.
 */
public final class ConditionalBatchCodec {
  private static final int MIN_QUERY_BYTES = 3;
  private static final int MIN_UPDATE_BYTES = 3;
  private static final int ALL = 0;
  private static final int ANY = 1;
  private static final int NOT = 2;
  private static final int EQUALITY = 3;
  private static final int NUMBER = 4;
  private static final int VALUE = 5;
  private static final List<Condition.Relation> RELATIONS =
      List.of(
          Condition.Relation.LESS,
          Condition.Relation.AT_MOST,
          Condition.Relation.AT_LEAST,
          Condition.Relation.GREATER);

  private ConditionalBatchCodec() {}

  /** Encodes a conditional write. */
  public static Bytes encode(ConditionalBatch batch) {
    List<ObjectQuery<?, ?>> queries = batch.queries();
    return QuestionCodec.encode(
        out -> {
          out.writeUnsigned(batch.valueBytes());
          out.writeUnsigned(batch.transactionBytes());
          out.writeUnsigned(queries.size());
          for (ObjectQuery<?, ?> query : queries) {
            writeKey(query.target(), out);
            query.question().write(out);
          }
          write(batch.condition(), queries, out);
          out.writeUnsigned(batch.updates().size());
          for (Update update : batch.updates()) {
            writeKey(update.key(), out);
            byte[] operation = CallTypes.encodeOperation(update.key().type(), update.operation());
            out.writeBytes(Bytes.wrap(operation));
          }
        });
  }

  /**
   * Decodes a conditional write.
   *
   * @throws FormatException if the bytes are malformed
   */
  public static ConditionalBatch decode(Bytes bytes) {
    return QuestionCodec.decode(bytes, ConditionalBatchCodec::read);
  }

  /**
   * Decodes a conditional write within another message.
   *
   * @param within reads that message; its limit on the number of elements applies here too
   * @throws FormatException if the bytes are malformed
   */
  public static ConditionalBatch decode(Decoder within) {
    return QuestionCodec.decode(within.readBytes(), within, ConditionalBatchCodec::read);
  }

  private static ConditionalBatch read(Decoder in) {
    long valueBytes = in.readUnsigned();
    long transactionBytes = in.readUnsigned();
    List<ObjectQuery<?, ?>> queries =
        in.<ObjectQuery<?, ?>>readList(
            MIN_QUERY_BYTES, from -> ObjectQuery.of(readKey(from), Question.read(from)));
    Condition condition = read(queries, in);
    List<Update> updates = in.readList(MIN_UPDATE_BYTES, from -> readUpdate(readKey(from), from));
    if (updates.isEmpty()) {
      throw new FormatException("a conditional write has no updates");
    }
    return new ConditionalBatch(condition, updates, valueBytes, transactionBytes);
  }

  private static void writeKey(Key<?> key, Encoder out) {
    out.writeBytes(key.id());
    out.writeUnsigned(key.type().typeId());
  }

  private static Key<?> readKey(Decoder in) {
    Bytes id = in.readBytes();
    long typeId = in.readUnsigned();
    CrdtType<?, ?, ?, ?> type =
        CrdtTypes.byId(typeId)
            .orElseThrow(
                () -> new FormatException("this version does not know type number " + typeId));
    return Key.ofId(id, type);
  }

  private static Update readUpdate(Key<?> key, Decoder in) {
    return Update.of(key, CallTypes.decodeOperation(key.type(), in));
  }

  private static void write(Condition condition, List<ObjectQuery<?, ?>> queries, Encoder out) {
    if (condition instanceof Condition.All all) {
      out.writeByte(ALL);
      write(all.conditions(), queries, out);
    } else if (condition instanceof Condition.Any any) {
      out.writeByte(ANY);
      write(any.conditions(), queries, out);
    } else if (condition instanceof Condition.Not not) {
      out.writeByte(NOT);
      write(List.of(not.condition()), queries, out);
    } else {
      write((Condition.Test<?, ?>) condition, queries, out);
    }
  }

  private static void write(
      List<Condition> conditions, List<ObjectQuery<?, ?>> queries, Encoder out) {
    out.enter();
    out.writeUnsigned(conditions.size());
    conditions.forEach(condition -> write(condition, queries, out));
    out.exit();
  }

  private static void write(
      Condition.Test<?, ?> test, List<ObjectQuery<?, ?>> queries, Encoder out) {
    int query = queries.indexOf(test.query());
    if (test instanceof Condition.Equality<?, ?> equality) {
      out.writeByte(EQUALITY);
      out.writeUnsigned(query);
      writeExpected(equality, out);
    } else if (test instanceof Condition.NumberComparison<?, ?> comparison) {
      out.writeByte(NUMBER);
      out.writeUnsigned(query);
      out.writeByte(RELATIONS.indexOf(comparison.relation()));
      out.writeSigned(comparison.bound());
    } else {
      Condition.ValueComparison<?> comparison = (Condition.ValueComparison<?>) test;
      out.writeByte(VALUE);
      out.writeUnsigned(query);
      out.writeByte(RELATIONS.indexOf(comparison.relation()));
      out.writeBytes(comparison.bound());
    }
  }

  private static <A> void writeExpected(Condition.Equality<A, ?> equality, Encoder out) {
    equality.query().question().writeAnswer(equality.expected(), out);
  }

  private static Condition read(List<ObjectQuery<?, ?>> queries, Decoder in) {
    int kind = in.readByte();
    return switch (kind) {
      case ALL -> new Condition.All(readSeveral(queries, in));
      case ANY -> new Condition.Any(readSeveral(queries, in));
      case NOT -> readNot(queries, in);
      case EQUALITY -> readEquality(readQuery(queries, in), in);
      case NUMBER -> readNumber(readQuery(queries, in), readRelation(in), in.readSigned());
      case VALUE -> readValue(readQuery(queries, in), readRelation(in), in.readBytes());
      default -> throw new FormatException("a condition is of kind 0 to 5, not " + kind);
    };
  }

  private static List<Condition> readSeveral(List<ObjectQuery<?, ?>> queries, Decoder in) {
    in.enter();
    List<Condition> conditions = in.readList(1, from -> read(queries, from));
    in.exit();
    return conditions;
  }

  private static Condition readNot(List<ObjectQuery<?, ?>> queries, Decoder in) {
    List<Condition> conditions = readSeveral(queries, in);
    if (conditions.size() != 1) {
      throw new FormatException("one condition is negated, not " + conditions.size());
    }
    return new Condition.Not(conditions.get(0));
  }

  private static ObjectQuery<?, ?> readQuery(List<ObjectQuery<?, ?>> queries, Decoder in) {
    int query = in.readIndex();
    if (query >= queries.size()) {
      throw new FormatException("a condition asks query %d of %d".formatted(query, queries.size()));
    }
    return queries.get(query);
  }

  private static Condition.Relation readRelation(Decoder in) {
    int relation = in.readByte();
    if (relation >= RELATIONS.size()) {
      throw new FormatException("a relation is one of 0 to 3, not " + relation);
    }
    return RELATIONS.get(relation);
  }

  private static <A, V> Condition readEquality(ObjectQuery<A, V> query, Decoder in) {
    return new Condition.Equality<>(query, query, query.question().readAnswer(in));
  }

  private static Condition readNumber(
      ObjectQuery<?, ?> query, Condition.Relation relation, long bound) {
    return Condition.compare(query, relation, bound)
        .orElseThrow(() -> new FormatException("a condition compares " + query + " as a number"));
  }

  private static Condition readValue(
      ObjectQuery<?, ?> query, Condition.Relation relation, Bytes bound) {
    return Condition.compare(query, relation, bound)
        .orElseThrow(() -> new FormatException("a condition compares " + query + " as a value"));
  }

  /** Encodes the answers to the queries of a conditional write. */
  public static Bytes encodeAnswers(ConditionalBatch batch, List<Object> answers) {
    return QuestionCodec.encode(
        out -> {
          List<ObjectQuery<?, ?>> queries = batch.queries();
          for (int i = 0; i < queries.size(); i++) {
            writeAnswer(queries.get(i).question(), answers.get(i), out);
          }
        });
  }

  @SuppressWarnings("unchecked") // the answer is the question's own
  private static <A> void writeAnswer(Question<A> question, Object answer, Encoder out) {
    question.writeAnswer((A) answer, out);
  }

  /**
   * Decodes the answers.
   *
   * @throws FormatException if they are not the answers to the queries of this conditional write
   */
  public static List<Object> decodeAnswers(ConditionalBatch batch, Bytes bytes) {
    return QuestionCodec.decode(
        bytes,
        in -> {
          List<Object> answers = new ArrayList<>();
          batch.queries().forEach(query -> answers.add(query.question().readAnswer(in)));
          return answers;
        });
  }
}
