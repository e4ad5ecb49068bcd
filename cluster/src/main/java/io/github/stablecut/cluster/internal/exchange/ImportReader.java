package io.github.stablecut.cluster.internal.exchange;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
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
 * Imports the objects that {@link ExportWriter} wrote into an empty store, by operations in
 * transactions of bounded size. What an export does not contain is as if the objects were created
 * here and now: dots, the distribution of a bounded counter's rights, history. Confined to one
 * thread.
 */
public final class ImportReader {
  /** More than the deepest nesting of an object. */
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

  /** The greatest id so far: a greater one can't be a duplicate. */
  private Bytes last = Bytes.EMPTY;

  /** The id of the last line's type. */
  private int lastType;

  private ImportReader(Store store) {
    this.store = store;
    this.batch = new ImportBatch(store);
  }

  /** Updates of concurrent transactions, which don't see each other. */
  private record Concurrent(List<Update> updates, long bytes) {}

  /** An object and the updates that create it. */
  private record ImportedObject(ObjectKey<Object, ?> key, List<Concurrent> steps) {}

  /**
   * Imports all lines.
   *
   * @param in not closed
   * @param store an empty store
   * @param progress receives the number of objects read so far
   * @return the number of objects
   * @throws MalformedLineException if a line is malformed or can't be executed; the message has the
   *     line's number, and the store holds part of the other objects
   */
  @CanIgnoreReturnValue
  public static long read(InputStream in, Store store, LongConsumer progress) throws IOException {
    LineReader lines = new LineReader(in, ExportWriter.MAX_LINE_BYTES);
    ImportReader reader = new ImportReader(store);
    for (Optional<ImportedObject> next = next(lines); next.isPresent(); next = next(lines)) {
      reader.create(next.get(), lines.number());
      progress.accept(lines.number());
    }
    reader.batch.flush();
    return lines.number();
  }

  private static Optional<ImportedObject> next(LineReader lines) throws IOException {
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

  private static ImportedObject parse(byte[] line) {
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
    return new ImportedObject(key, steps);
  }

  /** Returns the parser's message without its description of the source, which is meaningless. */
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

  private void create(ImportedObject object, long line) {
    int type = object.key.type().typeId();
    boolean isOtherType = object.key.id().equals(last) && type > lastType;
    if (object.key.id().compareTo(last) > 0 || isOtherType) {
      last = object.key.id();
      lastType = type;
      batch.setAllowsOtherTypes(isOtherType);
    } else {
      batch.setAllowsOtherTypes(false);
      batch.flush();
      if (exists(object.key)) {
        throw new MalformedLineException(
            "line %d: object %s/%s already exists"
                .formatted(line, object.key.bucket(), object.key.key()));
      }
    }
    for (Concurrent step : object.steps) {
      batch.add(step.updates, step.bytes, line);
    }
  }

  private boolean exists(ObjectKey<Object, ?> key) {
    try {
      return !isInitial(store.read(key), key.type());
    } catch (TypeMismatchException | LimitExceededException e) {
      return true;
    }
  }

  private static <S> boolean isInitial(Object value, CrdtType<S, ?, ?, ?> type) {
    return value.equals(type.value(type.initial(), VectorClock.ZERO));
  }
}
