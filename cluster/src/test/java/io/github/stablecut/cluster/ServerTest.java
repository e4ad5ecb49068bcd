package io.github.stablecut.cluster;

import static io.github.stablecut.cluster.WireClient.add;
import static io.github.stablecut.cluster.WireClient.counter;
import static io.github.stablecut.cluster.WireClient.object;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireMapKey;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.Encoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behaviour that a client of AntidoteDB's protocol sees. */
final class ServerTest {
  @TempDir private Path directory;
  private Server server;
  private WireClient client;

  @BeforeEach
  void start() throws IOException {
    server = Server.start(Settings.dataCentreOrders(Settings.of(directory.resolve("data"))));
    client = new WireClient(server);
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    server.close();
  }

  private static ObjectUpdate update(WireType type, String key, WireOperation operation) {
    return new ObjectUpdate(object(type, key), operation);
  }

  @Test
  void updatesAndReadsInOneCallEach() throws IOException {
    client.update(add("a", 5), add("b", 1), add("a", -7));

    assertThat(client.values(counter("b"), counter("a"), counter("a"), counter("new")))
        .isEqualTo(WireClient.counts(1L, -2L, -2L, 0L));
  }

  @Test
  void readsItsOwnWritesAndOthersSeeThemAfterTheCommit() throws IOException {
    Bytes transaction = client.begin();
    client.updateIn(transaction, add("a", 1));
    client.updateIn(transaction, add("a", 1));

    assertThat(client.countIn(transaction, "a")).isEqualTo(2);
    assertThat(client.count("a")).isZero();
    client.commit(transaction);
    assertThat(client.count("a")).isEqualTo(2);
  }

  @Test
  void anAbortedTransactionLeavesNothingAndItsDescriptorIsInvalid() throws IOException {
    Bytes transaction = client.begin();
    client.updateIn(transaction, add("a", 1));

    assertThat(client.call(new Request.Abort(transaction))).isEqualTo(new Response.Done());

    assertThat(client.count("a")).isZero();
    assertThat(client.refused(new Request.Commit(transaction), ErrorCode.NO_TRANSACTION))
        .contains("no transaction is open with this descriptor");
    assertThat(server.openTransactions()).isZero();
    assertThat(server.store().status().openTransactions()).isZero();
  }

  @Test
  void aDescriptorIsValidOnAnyConnectionAndOutlivesItsOwn() throws IOException {
    Bytes transaction;
    try (WireClient first = new WireClient(server)) {
      transaction = first.begin();
      first.updateIn(transaction, add("a", 1));
    }

    client.updateIn(transaction, add("a", 1));
    assertThat(client.countIn(transaction, "a")).isEqualTo(2);
    client.commit(transaction);
    assertThat(client.count("a")).isEqualTo(2);
  }

  @Test
  void holdsManyTransactionsOpenOnOneConnection() throws IOException {
    List<Bytes> transactions = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      transactions.add(client.begin());
    }
    for (Bytes transaction : transactions) {
      client.updateIn(transaction, add("a", 1));
      assertThat(client.countIn(transaction, "a")).isEqualTo(1);
    }
    assertThat(transactions).doesNotHaveDuplicates();
    for (Bytes transaction : transactions) {
      client.commit(transaction);
    }

    assertThat(client.count("a")).isEqualTo(100);
  }

  @Test
  void answersPipelinedRequestsInTheirOrder() throws IOException {
    int requests = 1_000;
    for (int i = 1; i <= requests; i++) {
      client.send(WireClient.updateOf(add("a", 1)));
      client.send(WireClient.readOf(counter("a")));
    }

    for (long i = 1; i <= requests; i++) {
      WireClient.clock(client.receive());
      assertThat(((Response.StaticValues) client.receive()).values())
          .isEqualTo(WireClient.counts(i));
    }
  }

  @Test
  void aClockCarriesCausalityToAnotherConnection() throws IOException {
    try (WireClient other = new WireClient(server)) {
      for (long i = 1; i <= 200; i++) {
        Bytes clock = client.update(add("a", 1));
        Response read =
            other.call(new Request.StaticRead(Optional.of(clock), List.of(counter("a"))));
        assertThat(((Response.StaticValues) read).values()).isEqualTo(WireClient.counts(i));
      }
    }
  }

  @Test
  void aTransactionWithoutUpdatesCommitsAtItsSnapshot() throws IOException {
    Bytes transaction = client.begin();
    Bytes clock = client.commit(transaction);
    assertThat(clock.length()).isPositive();
    assertThat(client.update().length()).isPositive();

    assertThat(client.call(new Request.Start(Optional.of(clock))))
        .isInstanceOf(Response.Started.class);
  }

  @Test
  void aTypeErrorLeavesTheTransactionOpenAndAppliesNothing() throws IOException {
    Bytes transaction = client.begin();
    client.updateIn(transaction, add("a", 1));

    Request wrong =
        new Request.Update(
            List.of(add("a", 1), update(WireType.COUNTER, "b", new WireOperation.Flag(true))),
            transaction);
    assertThat(client.refused(wrong, ErrorCode.BAD_REQUEST)).contains("a COUNTER has no operation");

    assertThat(client.countIn(transaction, "a")).isEqualTo(1);
    client.commit(transaction);
    assertThat(client.count("a")).isEqualTo(1);
  }

  @Test
  void aBoundedCounterWorksAndLacksRightsAtZero() throws IOException {
    BoundObject stock = object(WireType.BCOUNTER, "stock");
    client.update(update(WireType.BCOUNTER, "stock", new WireOperation.Count(5)));
    ObjectUpdate take = update(WireType.BCOUNTER, "stock", new WireOperation.Count(-6));

    assertThat(client.call(WireClient.updateOf(take)))
        .isEqualTo(new Response.NotCommitted(ErrorCode.NO_PERMISSIONS));
    Bytes transaction = client.begin();
    assertThat(client.call(new Request.Update(List.of(take), transaction)))
        .isEqualTo(new Response.Refused(ErrorCode.NO_PERMISSIONS));
    client.updateIn(transaction, update(WireType.BCOUNTER, "stock", new WireOperation.Count(-5)));
    client.commit(transaction);

    assertThat(client.values(stock)).isEqualTo(WireClient.counts(0L));
  }

  @Test
  void validatesUnchangedObjectsAndReadsChangedOnes() throws IOException {
    client.update(add("a", 1), add("b", 1));
    List<BoundObject> objects = List.of(counter("a"), counter("b"));
    Response.Validated first = validate(client.begin(), objects, List.of(Bytes.EMPTY, Bytes.EMPTY));
    assertThat(first.values())
        .isEqualTo(
            List.of(Optional.of(new WireValue.Count(1)), Optional.of(new WireValue.Count(1))));

    client.update(add("b", 1));
    Bytes transaction = client.begin();
    Response.Validated second = validate(transaction, objects, first.tokens());
    assertThat(second.values())
        .isEqualTo(List.of(Optional.empty(), Optional.of(new WireValue.Count(2))));

    client.updateIn(transaction, add("a", 1));
    Response.Validated own = validate(transaction, objects, second.tokens());
    assertThat(own.values())
        .isEqualTo(List.of(Optional.of(new WireValue.Count(2)), Optional.empty()));
  }

  private Response.Validated validate(
      Bytes transaction, List<BoundObject> objects, List<Bytes> tokens) throws IOException {
    Response response = client.call(new Request.Validate(objects, tokens, transaction));
    assertThat(response).isInstanceOf(Response.Validated.class);
    return (Response.Validated) response;
  }

  @Test
  void refusesMapsNestedTooDeepWithOneSentence() throws Exception {
    client.update(nested(64));
    Bytes transaction = client.begin();
    for (int depth : List.of(65, 84, 85, 200)) {
      assertThat(client.call(WireClient.updateOf(nested(depth))))
          .as("depth %d", depth)
          .isEqualTo(new Response.Failed(ErrorCode.LIMIT_EXCEEDED, Encoder.TOO_DEEP));
      assertThat(client.call(new Request.Update(List.of(nested(depth)), transaction)))
          .as("depth %d in a transaction", depth)
          .isEqualTo(new Response.Failed(ErrorCode.LIMIT_EXCEEDED, Encoder.TOO_DEEP));
    }
  }

  /** An increment of a counter nested in the given number of maps. */
  private static ObjectUpdate nested(int depth) {
    WireOperation operation = new WireOperation.Count(1);
    WireType type = WireType.COUNTER;
    for (int i = 0; i < depth; i++) {
      WireMapKey mapKey = new WireMapKey(Bytes.utf8("m"), type);
      operation =
          new WireOperation.Entries(
              List.of(new WireOperation.Nested(mapKey, operation)), List.of());
      type = WireType.RRMAP;
    }
    return new ObjectUpdate(object(type, "nested"), operation);
  }

  @Test
  void isADataCentreOfOneNode() throws IOException {
    assertThat(client.call(new Request.CreateDataCentre(List.of("antidote@127.0.0.1"))))
        .isEqualTo(new Response.DataCentreCreated());
    Response described = client.call(new Request.DescribeConnection());
    Bytes own = ((Response.ConnectionDescribed) described).descriptor();
    assertThat(client.call(new Request.ConnectDataCentres(List.of(own))))
        .isEqualTo(new Response.DataCentresConnected());
    assertThat(client.call(new Request.CreateDataCentre(List.of("a", "b"))))
        .isInstanceOfSatisfying(
            Response.DataCentreNotCreated.class,
            refusal -> assertThat(refusal.reason()).contains("one node"));
    assertThat(client.unconnected(List.of(own, Bytes.utf8("x")))).contains("not its own");
  }

  @Test
  void answersMalformedMessagesAndKeepsTheConnection() throws IOException {
    for (String frame :
        List.of(
            "00000000",
            "00000001 63",
            "00000001 7f",
            "00000003 78 0aff",
            "0000000b 7b 0a00 1206 0a00 1007 1a00")) {
      client.send(frame);
      assertThat(WireClient.failed(client.receive(), ErrorCode.BAD_REQUEST)).isNotEmpty();
    }

    assertThat(client.count("a")).isZero();
  }
}
