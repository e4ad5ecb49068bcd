package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.Store;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.Update;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.zip.ZipException;

/**
 * Makes the objects again that {@link ExportWriter} wrote, in a store that holds nothing else, by
 * operations on them in transactions of bounded size. What an export doesn't say is as if they had
 * been made now and here: dots, who has the rights of a bounded counter, the past. Confined to one
 * thread.
 */
public final class ImportReader {
  /** More than an object of the deepest nesting has. */
  private static final int MAX_DEPTH = 500;

  private static final Set<String> FIELDS = Set.of("bucket", "key", "type", "value", "expires");

  private static final ObjectMapper MAPPER =
      new ObjectMapper(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxStringLength(ExportWriter.MAX_LINE_BYTES)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final Store store;
  private final ImportBatch batch;

  /** The greatest id so far: what is above it can't be there twice. */
  private Bytes last = Bytes.EMPTY;

  /** The number of the type of the last line. */
  private int lastType;

  private ImportReader(Store store) {
    this.store = store;
    this.batch = new ImportBatch(store);
  }

  /** Updates of which none sees another one. */
  private record Concurrent(List<Update> updates, long bytes) {}

  /** An object that is to be made. */
  private record Made(ObjectKey<Object, ?> key, List<Concurrent> steps) {}

  /**
   * Reads all lines.
   *
   * @param in not closed
   * @param store holds nothing
   * @param progress is told how many objects were read
   * @return how many there were
   * @throws MalformedLineException if a line is malformed or can't be carried out: its message has
   *     the line's number; the store holds a part of the others
   */
  public static long read(InputStream in, Store store, LongConsumer progress) throws IOException {
    LineReader lines = new LineReader(in, ExportWriter.MAX_LINE_BYTES);
    ImportReader reader = new ImportReader(store);
    for (Optional<Made> next = next(lines); next.isPresent(); next = next(lines)) {
      reader.make(next.get(), lines.number());
      progress.accept(lines.number());
    }
    reader.batch.flush();
    return lines.number();
  }

  private static Optional<Made> next(LineReader lines) throws IOException {
    try {
      return lines.next().map(ImportReader::parse);
    } catch (MalformedLineException e) {
      throw e.in("line " + lines.number());
    } catch (LimitExceededException | OperationRefusedException e) {
      throw new MalformedLineException(
          "line " + lines.number() + ": " + Objects.requireNonNull(e.getMessage()));
    } catch (ZipException | EOFException e) {
      throw new MalformedLineException(
          "after line %,d the compressed data is damaged or cut short: %s"
              .formatted(lines.number(), e.getMessage()));
    }
  }

  private static Made parse(byte[] line) {
    JsonNode node = json(line);
    ObjectJson.checkFields(node, FIELDS);
    Bytes bucket = JsonBytes.read(node.path("bucket"), "the bucket");
    Bytes name = JsonBytes.read(node.path("key"), "the key");
    CrdtType<?, Object, ?, ?> type = ObjectJson.readType(node);
    ObjectKey<Object, ?> key = Key.of(bucket, name, type);
    List<Concurrent> steps = new ArrayList<>();
    ObjectJson.read(
        node,
        type,
        (alternatives, bytes) ->
            steps.add(new Concurrent(alternatives.stream().map(key::update).toList(), bytes)));
    return new Made(key, steps);
  }

  /** What the parser says, without its words about the source, which it does not show. */
  private static String reason(JsonProcessingException e) {
    return e.getOriginalMessage()
        .replaceAll("\\[Source: [^;\\]]*; line: \\d+, column: (\\d+)]", "column $1");
  }

  private static JsonNode json(byte[] line) {
    JsonNode node;
    try {
      node = MAPPER.readTree(line);
    } catch (JsonProcessingException e) {
      throw new MalformedLineException(
          "it is not JSON, column %d: %s".formatted(e.getLocation().getColumnNr(), reason(e)));
    } catch (IOException e) {
      throw new MalformedLineException("it is not JSON: " + e.getMessage());
    }
    if (node.isMissingNode()) {
      throw new MalformedLineException("it is empty");
    }
    return node;
  }

  private void make(Made made, long line) {
    int type = made.key.type().typeId();
    boolean isOtherType = made.key.id().equals(last) && type > lastType;
    if (made.key.id().compareTo(last) > 0 || isOtherType) {
      last = made.key.id();
      lastType = type;
      batch.setOfAnyType(isOtherType);
    } else {
      batch.setOfAnyType(false);
      batch.flush();
      if (isThere(made.key)) {
        throw new MalformedLineException(
            "line %d: object %s/%s is there already"
                .formatted(line, made.key.bucket(), made.key.key()));
      }
    }
    for (Concurrent step : made.steps) {
      batch.add(step.updates, step.bytes, line);
    }
  }

  private boolean isThere(ObjectKey<Object, ?> key) {
    try {
      return !isFirst(store.read(key), key.type());
    } catch (TypeMismatchException | LimitExceededException e) {
      return true;
    }
  }

  private static <S> boolean isFirst(Object value, CrdtType<S, ?, ?, ?> type) {
    return value.equals(type.value(type.initial(), VectorClock.ZERO));
  }
}
