package io.github.stablecut.examples.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.examples.trace.Trace;
import io.github.stablecut.examples.trace.Trace.Patch;
import io.github.stablecut.examples.trace.Trace.Transaction;
import io.github.stablecut.web.WebServer;
import io.github.stablecut.web.testing.Client;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The requests of the page for writing, made by windows that behave like the page. */
final class WritePageTest {
  private static final Trace TRACE =
      new Trace(
          1,
          List.of(
              transaction(List.of(), new Patch(0, 0, "recorded words")),
              transaction(List.of(0), new Patch(8, 6, ""), new Patch(0, 1, "R")),
              transaction(List.of(1), new Patch(8, 0, " by others"))),
          "Recorded by others");

  @TempDir private Path directory;

  private Desks desks;
  private WebServer server;
  private Client client;
  private final List<Author> authors = new ArrayList<>();

  private static Transaction transaction(List<Integer> parents, Patch... patches) {
    return new Transaction(0, parents, 0, List.of(patches));
  }

  @BeforeEach
  void open() throws IOException {
    desks = Desks.open(directory, Optional.of(TRACE), 1_000);
    server =
        WebServer.start(
            WritePage.of(desks), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    client = new Client(server.uri());
  }

  @AfterEach
  void close() {
    authors.forEach(Author::close);
    server.close();
    desks.close();
  }

  private Author author(int desk, String name) {
    Author author = new Author(desk, name);
    authors.add(author);
    return author;
  }

  /** Acts like a browser window: receives versions and edits the last one. */
  private final class Author implements AutoCloseable {
    private final Client.Events events;
    private String window = "";
    private String text = "";
    private int version;
    private int edits;
    private int sent;
    private JsonNode last;

    Author(int desk, String name) {
      this.events = client.events("/api/events?desk=" + desk + "&name=" + name);
      this.last = receive();
    }

    JsonNode receive() {
      last = events.next();
      JsonNode told = last.get("text");
      window = told.get("window").asText();
      if (told.get("version").asInt() != version) {
        assertThat(told.get("version").asInt()).isEqualTo(version + 1);
        JsonNode change = told.get("change");
        text =
            Texts.with(
                text,
                new Patch(
                    change.get("position").asInt(),
                    change.get("deleted").asInt(),
                    change.get("inserted").asText()));
        version++;
      }
      edits = told.get("edits").asInt();
      return last;
    }

    void receiveOwn() {
      while (edits < sent) {
        receive();
      }
    }

    Client.Answer edit(int position, int deleted, String inserted) {
      return client.post(
          "/api/edits",
          "{'window':'%s','version':%d,'position':%d,'deleted':%d,'inserted':'%s','caret':%d}"
              .formatted(
                  window,
                  version,
                  position,
                  deleted,
                  inserted,
                  position + inserted.codePointCount(0, inserted.length())));
    }

    void write(int position, int deleted, String inserted) {
      Client.Answer answer = edit(position, deleted, inserted);
      while (answer.status() == 409) {
        // Many versions, which only insert, have arrived since.
        receive();
        answer = edit(position, deleted, inserted);
      }
      assertThat(answer.status()).as(answer.body().toString()).isEqualTo(200);
      sent++;
    }

    void awaitText(String expected) {
      while (!text.equals(expected)) {
        receive();
      }
    }

    @Override
    public void close() {
      events.close();
    }
  }

  private void cable(String state) {
    assertThat(client.post("/api/cable", "{'state':'" + state + "'}").status()).isEqualTo(200);
  }

  @Test
  void editsOfOldVersionsApplyToTheTextThatTheirAuthorsSaw() {
    Author one = author(0, "Fox");
    one.write(0, 0, "the quick fox");
    one.receiveOwn();
    Author two = author(0, "Owl");
    assertThat(two.text).isEqualTo("the quick fox");

    two.write(0, 3, "A");
    one.write(9, 0, " brown 🦊");

    one.awaitText("A quick brown 🦊 fox");
    two.awaitText("A quick brown 🦊 fox");
  }

  @Test
  void twoDesksContinueWhileTheCableIsCutAndMerge() {
    Author here = author(0, "Fox");
    Author there = author(1, "Owl");
    here.write(0, 0, "[]");
    here.awaitText("[]");
    there.awaitText("[]");
    cable("cut");
    here.write(1, 0, "north");
    here.awaitText("[north]");
    there.write(1, 0, "south");
    there.awaitText("[south]");

    cable("fast");

    while (!here.text.equals(there.text) || here.text.length() < 12) {
      here.receive();
      there.receive();
    }
    assertThat(here.text).isIn("[northsouth]", "[southnorth]");
  }

  @Test
  void concurrentWritersConvergeToOneTextWithAllEdits() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Author> all =
        List.of(author(0, "Fox"), author(0, "Owl"), author(1, "Hare"), author(1, "Wren"));
    int written = 0;
    for (int i = 0; i < 120; i++) {
      Author author = all.get(random.nextInt(all.size()));
      author.receiveOwn();
      int position = random.nextInt(author.text.length() + 1);
      author.write(position, 0, Character.toString('一' + written++));
      if (i % 40 == 20) {
        cable("cut");
      } else if (i % 40 == 0) {
        cable("fast");
      }
    }
    cable("fast");

    for (Author author : all) {
      while (author.text.length() < written) {
        author.receive();
      }
      assertThat(author.text).as("seed %d", seed).isEqualTo(all.get(0).text);
      assertThat(author.text.chars().distinct().count()).isEqualTo(written);
    }
  }

  @Test
  void showsCaretsToAllUntilTheirWindowsClose() {
    Author here = author(0, "Fox");
    Author there = author(1, "Owl");
    there.write(0, 0, "where am I?");

    JsonNode caret = caret(here, "Owl");
    while (caret.isMissingNode() || caret.get("position").asInt() != 11) {
      here.receive();
      caret = caret(here, "Owl");
    }
    assertThat(
            client
                .post("/api/carets", "{'window':'%s','caret':3}".formatted(there.window))
                .status())
        .isEqualTo(200);
    while (caret(here, "Owl").get("position").asInt() != 3) {
      here.receive();
    }
    there.close();
    // The server notices the closed window at its next event.
    for (int i = 0; !caret(here, "Owl").isMissingNode(); i++) {
      here.write(0, 0, Integer.toString(i % 10));
      here.receiveOwn();
    }
  }

  private static JsonNode caret(Author seenBy, String name) {
    for (JsonNode caret : seenBy.last.get("text").get("carets")) {
      if (caret.get("name").asText().equals(name)) {
        return caret;
      }
    }
    return seenBy.last.path("nothing");
  }

  @Test
  void readsThePast() {
    Author author = author(0, "Fox");
    for (String part : List.of("one ", "two ", "three ")) {
      author.write(author.text.length(), 0, part);
      author.receiveOwn();
    }
    while (author.last.get("moments").asInt() < 3) {
      author.receive();
    }

    assertThat(past(0)).isEqualTo("one ");
    assertThat(past(1)).isEqualTo("one two ");
    assertThat(past(2)).isEqualTo("one two three ");
    assertThat(client.get("/api/past?desk=0&moment=3").error())
        .contains("moment 3 does not exist among 3");
  }

  private String past(int moment) {
    return client.get("/api/past?desk=0&moment=" + moment).body().get("text").asText();
  }

  @Test
  void replaysATraceWhileOthersWrite() {
    Author author = author(1, "Owl");
    author.write(0, 0, ">> ");
    author.receiveOwn();
    assertThat(client.post("/api/replay", "{'runs':1}").status()).isEqualTo(200);

    author.receive();
    while (author.text.length() < ">> Recorded by others".length()
        || author.last.get("replay").get(0).get("isRunning").asBoolean()) {
      author.receive();
    }

    assertThat(author.text).contains("Recorded by others").contains(">> ");
    assertThat(author.last.get("replay").get(0).get("done").asInt()).isEqualTo(3);
  }

  @Test
  void explainsRefusedRequests() {
    Author author = author(0, "Fox");
    author.write(0, 0, "abc");
    author.receiveOwn();

    assertThat(author.edit(4, 0, "x").error()).contains("too few for 0 at position 4");
    assertThat(author.edit(2, 2, "x").error()).contains("too few for 2 at position 2");
    author.version = 77;
    Client.Answer outdated = author.edit(0, 0, "x");
    assertThat(outdated.status()).isEqualTo(409);
    assertThat(outdated.error()).isEqualTo("version 77 is too old to be edited: edit the newest");
    author.window = "0-99";
    assertThat(author.edit(0, 0, "x").status()).isEqualTo(404);
    assertThat(client.get("/api/events?desk=7&name=Fox").error())
        .isEqualTo("desk is a number, 0 to 1, not \"7\"");
    assertThat(client.post("/api/cable", "{'state':'torn'}").error())
        .isEqualTo("state must be one of [fast, slow, cut], not torn");
  }

  @Test
  void limitsTheSizeOfAText() {
    Author author = author(0, "Fox");
    String part = "x".repeat(60_000);
    for (int i = 0; i < 5; i++) {
      author.write(0, 0, part);
      author.receiveOwn();
    }

    Client.Answer refused = author.edit(0, 0, "y");

    assertThat(refused.status()).isEqualTo(413);
    assertThat(refused.error()).contains("at most 300,000 characters");
  }
}
