package io.github.stablecut.examples.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.examples.trace.Trace.Patch;
import io.github.stablecut.examples.trace.Trace.Transaction;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Reads editing traces in JSON, compressed or not, in both formats of the collection <a
 * href="https://github.com/josephg/editing-traces">editing-traces</a>. Confined to one thread.
 *
 * <pre>
 *   sequential   {"startContent": text, "endContent": text,
 *                 "txns": [{"time": time, "patches": [patch, …]}, …]}
 *   concurrent   {"endContent": text, "numAgents": number,
 *                 "txns": [{"parents": [index, …], "agent": number, "time": time, "patches": [patch, …]}, …]}
 *   patch        [position, deleted, inserted text], positions and lengths in code points
 * </pre>
 *
 * <p>A transaction without parents follows the previous one. Times, agents and the start are
 * optional; a start becomes a separate transaction. Unknown fields are skipped.
 */
public final class TraceReader {
  private static final int GZIP_MAGIC = 0x1f8b;
  private static final int MAX_SHOWN = 40;

  private final Path file;
  private final JsonParser json;
  private final List<Transaction> transactions = new ArrayList<>();
  private int agents = 1;
  private String startContent = "";
  private Optional<String> endContent = Optional.empty();

  private TraceReader(Path file, JsonParser json) {
    this.file = file;
    this.json = json;
  }

  /**
   * Reads the trace in a file.
   *
   * @throws TraceException if the file has none
   */
  public static Trace read(Path file) throws IOException {
    try (InputStream in = open(file);
        JsonParser json = new JsonFactory().createParser(in)) {
      return new TraceReader(file, json).readTrace();
    } catch (JsonProcessingException e) {
      throw new TraceException(at(file, e.getLocation()) + ": " + reason(e), e);
    } catch (EOFException | ZipException e) {
      throw new TraceException(file + ": the compressed file is damaged or truncated", e);
    }
  }

  /** The parser's message without the source, which it does not show. */
  private static String reason(JsonProcessingException e) {
    return e.getOriginalMessage()
        .replaceAll("\\[Source: [^;\\]]*; line: (\\d+), column: (\\d+)]", "line $1, column $2");
  }

  private static InputStream open(Path file) throws IOException {
    BufferedInputStream in = new BufferedInputStream(Files.newInputStream(file));
    in.mark(2);
    int magic = in.read() << 8 | in.read();
    in.reset();
    return magic == GZIP_MAGIC ? new GZIPInputStream(in) : in;
  }

  private Trace readTrace() throws IOException {
    expect(json.nextToken(), JsonToken.START_OBJECT, "a trace (an object)");
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "startContent" -> startContent = text();
        case "endContent" -> endContent = Optional.of(text());
        case "numAgents" -> agents = agents();
        case "txns" -> readTransactions();
        default -> json.skipChildren();
      }
    }
    if (json.nextToken() != null) {
      throw unexpected("the end of the file", json.getText());
    }
    if (endContent.isEmpty()) {
      throw new TraceException(file + ": a trace needs an endContent");
    }
    for (int i = 0; i < transactions.size(); i++) {
      int agent = transactions.get(i).agent();
      if (agent >= agents) {
        throw new TraceException(
            "%s: the agent of txns[%d] is %d, but numAgents is %d"
                .formatted(file, i, agent, agents));
      }
    }
    return new Trace(
        agents, startContent.isEmpty() ? transactions : afterStart(), endContent.get());
  }

  /** The transactions, preceded by one that inserts the start. */
  private List<Transaction> afterStart() {
    List<Transaction> all = new ArrayList<>();
    all.add(new Transaction(0, List.of(), 0, List.of(new Patch(0, 0, startContent))));
    for (Transaction next : transactions) {
      List<Integer> parents =
          next.parents().isEmpty()
              ? List.of(0)
              : next.parents().stream().map(parent -> parent + 1).toList();
      all.add(new Transaction(next.agent(), parents, next.epochMillis(), next.patches()));
    }
    return all;
  }

  private void readTransactions() throws IOException {
    expect(json.currentToken(), JsonToken.START_ARRAY, "a list of transactions");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      transactions.add(readTransaction());
    }
  }

  private Transaction readTransaction() throws IOException {
    expect(json.currentToken(), JsonToken.START_OBJECT, "a transaction (an object)");
    int number = transactions.size();
    int agent = 0;
    List<Integer> parents = number == 0 ? List.of() : List.of(number - 1);
    long epochMillis = 0;
    List<Patch> patches = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "agent" -> agent = number("an agent");
        case "parents" -> parents = readParents(number);
        case "time" -> epochMillis = time();
        case "patches" -> readPatches(patches);
        default -> json.skipChildren();
      }
    }
    return new Transaction(agent, parents, epochMillis, patches);
  }

  private List<Integer> readParents(int number) throws IOException {
    expect(json.currentToken(), JsonToken.START_ARRAY, "a list of parents");
    List<Integer> parents = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      int parent = number("the index of an earlier transaction");
      if (parent >= number) {
        throw unexpected("the index of a transaction before " + number, "" + parent);
      }
      parents.add(parent);
    }
    return parents;
  }

  private void readPatches(List<Patch> patches) throws IOException {
    expect(json.currentToken(), JsonToken.START_ARRAY, "a list of patches");
    while (json.nextToken() != JsonToken.END_ARRAY) {
      expect(json.currentToken(), JsonToken.START_ARRAY, "a patch (a list)");
      json.nextToken();
      int position = number("a position");
      json.nextToken();
      int deleted = number("a number of deleted characters");
      json.nextToken();
      String inserted = text();
      expect(json.nextToken(), JsonToken.END_ARRAY, "the end of the patch");
      patches.add(new Patch(position, deleted, inserted));
    }
  }

  private String text() throws IOException {
    expect(json.currentToken(), JsonToken.VALUE_STRING, "text");
    String text = json.getText();
    if (!UTF_8.newEncoder().canEncode(text)) {
      throw unexpected("text without unpaired surrogates", text);
    }
    return text;
  }

  /** Reads the number of agents, each of which becomes a data centre. */
  private int agents() throws IOException {
    int number = number("the number of agents");
    if (number > VectorClock.MAX_DATA_CENTRES) {
      throw unexpected("at most " + VectorClock.MAX_DATA_CENTRES + " agents", "" + number);
    }
    return number;
  }

  private int number(String what) throws IOException {
    expect(json.currentToken(), JsonToken.VALUE_NUMBER_INT, what);
    long number = json.getNumberType() == JsonParser.NumberType.INT ? json.getIntValue() : -1;
    if (number < 0) {
      throw unexpected(what + ", 0 to 2^31 - 1", json.getText());
    }
    return (int) number;
  }

  private long time() throws IOException {
    String time = text();
    try {
      return OffsetDateTime.parse(time).toInstant().toEpochMilli();
    } catch (DateTimeException e) {
      throw unexpected("a time such as 2021-04-19T06:06:58.219Z", time);
    }
  }

  private void expect(@Nullable JsonToken found, JsonToken expected, String what)
      throws IOException {
    if (found != expected) {
      throw unexpected(what, found == null ? "the end of the file" : json.getText());
    }
  }

  private TraceException unexpected(String expected, String found) {
    String shown = found.length() > MAX_SHOWN ? found.substring(0, MAX_SHOWN) + "…" : found;
    String pointer = json.getParsingContext().pathAsPointer().toString();
    return new TraceException(
        "%s%s: expected %s, found %s"
            .formatted(
                at(file, json.currentTokenLocation()),
                pointer.isEmpty() ? "" : ", " + pointer,
                expected,
                shown));
  }

  private static String at(Path file, @Nullable JsonLocation location) {
    return location == null
        ? file.toString()
        : file + ", line " + location.getLineNr() + ", column " + location.getColumnNr();
  }
}
