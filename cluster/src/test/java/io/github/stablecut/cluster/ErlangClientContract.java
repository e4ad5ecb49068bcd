package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Sends what AntidoteDB's Erlang client {@code antidotec_pb} sends, byte for byte, as that client
 * is in no package registry. It begins with the term {@code ignore} as clock, names types by their
 * numbers, and treats any answer but that of its request as an error.
 */
abstract class ErlangClientContract {
  /** {@code term_to_binary(ignore)}. */
  private static final String IGNORE = "83640006 69676e6f7265";

  private static final String BUCKET = "0665726c616e67";

  private final String key = HexFormat.of().toHexDigits((short) System.nanoTime());

  /** The servers' address; each connection goes to the next server. */
  abstract InetSocketAddress address();

  /** The number of nodes. */
  abstract int nodes();

  private static Response call(WireClient client, String content) throws IOException {
    String bytes = content.replace(" ", "");
    client.send("%08x".formatted(bytes.length() / 2) + bytes);
    return client.receive();
  }

  /** A protobuf field of bytes. */
  private static String field(int number, String content) {
    String bytes = content.replace(" ", "");
    int length = bytes.length() / 2;
    String size =
        length < 128
            ? "%02x".formatted(length)
            : "%02x%02x".formatted((length & 127) | 128, length >> 7);
    return "%02x".formatted((number << 3) | 2) + size + bytes;
  }

  private static String utf8(String text) {
    return HexFormat.of().formatHex(Bytes.utf8(text).toArray());
  }

  /** The counter {@code {Key, antidote_crdt_counter_pn, Bucket}}. */
  private String counter() {
    return field(1, utf8(key)) + "1003" + "1a" + BUCKET;
  }

  private static Bytes begin(WireClient client) throws IOException {
    Response started = call(client, "77" + field(1, IGNORE) + "1200");
    assertThat(started).isInstanceOf(Response.Started.class);
    return ((Response.Started) started).descriptor();
  }

  private Response update(WireClient client, String operation, Bytes transaction)
      throws IOException {
    String update = field(1, counter()) + field(2, operation);
    return call(client, "76" + field(1, update) + field(2, hex(transaction)));
  }

  private static String hex(Bytes bytes) {
    return HexFormat.of().formatHex(bytes.toArray());
  }

  private long read(WireClient client, Bytes transaction) throws IOException {
    Response read = call(client, "74" + field(1, counter()) + field(2, hex(transaction)));
    assertThat(read).isInstanceOf(Response.Values.class);
    return ((WireValue.Count) ((Response.Values) read).values().get(0)).value();
  }

  private long readInNewTransaction(WireClient client) throws IOException {
    Bytes transaction = begin(client);
    long value = read(client, transaction);
    assertThat(call(client, "79" + field(1, hex(transaction))))
        .isInstanceOf(Response.Committed.class);
    return value;
  }

  @Test
  void anAbortedTransactionLeavesNothingAndTheNextOneSucceeds() throws IOException {
    try (WireClient client = new WireClient(address())) {
      Bytes aborted = begin(client);
      assertThat(update(client, field(1, "080a"), aborted)).isEqualTo(new Response.Done());
      assertThat(read(client, aborted)).isEqualTo(5);
      assertThat(call(client, "78" + field(1, hex(aborted)))).isEqualTo(new Response.Done());
      assertThat(readInNewTransaction(client)).isZero();

      Bytes committed = begin(client);
      assertThat(update(client, field(1, "0802"), committed)).isEqualTo(new Response.Done());
      assertThat(call(client, "79" + field(1, hex(committed))))
          .isInstanceOf(Response.Committed.class);
      assertThat(readInNewTransaction(client)).isEqualTo(1);
      WireClient.failed(call(client, "78" + field(1, hex(aborted))), ErrorCode.NO_TRANSACTION);
    }
  }

  @Test
  void aTransactionOnAnotherConnectionUsesTheClock() throws IOException {
    Bytes clock;
    try (WireClient client = new WireClient(address())) {
      String update = field(1, counter()) + field(2, field(1, "0806"));
      clock = WireClient.clock(call(client, "7a" + field(1, field(1, IGNORE)) + field(2, update)));
    }
    try (WireClient other = new WireClient(address())) {
      Response read = call(other, "7b" + field(1, field(1, hex(clock))) + field(2, counter()));
      assertThat(read).isInstanceOf(Response.StaticValues.class);
      assertThat(((Response.StaticValues) read).values()).isEqualTo(WireClient.counts(3L));
    }
  }

  @Test
  void answersDataCentreRequestsWithTheirOwnMessages() throws IOException {
    try (WireClient client = new WireClient(address())) {
      assertThat(call(client, "81" + field(1, utf8("antidote@127.0.0.1"))))
          .isEqualTo(new Response.DataCentreCreated());
      String tooMany = field(1, utf8("a@h")).repeat(nodes() + 1);
      assertThat(call(client, "81" + tooMany))
          .isInstanceOfSatisfying(
              Response.DataCentreNotCreated.class,
              refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.BAD_REQUEST));

      Response described = call(client, "85");
      assertThat(described).isInstanceOf(Response.ConnectionDescribed.class);
      Bytes own = ((Response.ConnectionDescribed) described).descriptor();
      assertThat(call(client, "83" + field(1, hex(own))))
          .isEqualTo(new Response.DataCentresConnected());
      assertThat(call(client, "83" + field(1, "8368026400046e6f6465")))
          .isInstanceOfSatisfying(
              Response.DataCentresNotConnected.class,
              refusal -> assertThat(refusal.reason()).hasSizeGreaterThan(15));
    }
  }

  @Test
  void anUnknownOperationFailsAndTheTransactionContinues() throws IOException {
    try (WireClient client = new WireClient(address())) {
      Bytes transaction = begin(client);
      Response refused = update(client, field(2, "0801" + field(2, "61")), transaction);
      assertThat(refused).as("elements of a counter").isNotEqualTo(new Response.Done());
      assertThat(read(client, transaction)).isZero();
    }
  }
}
