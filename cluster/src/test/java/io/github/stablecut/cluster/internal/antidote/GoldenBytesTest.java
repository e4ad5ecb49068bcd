package io.github.stablecut.cluster.internal.antidote;

import static io.github.stablecut.cluster.internal.antidote.Frames.NO_LIMIT;
import static io.github.stablecut.cluster.internal.antidote.Frames.hex;
import static io.github.stablecut.cluster.internal.antidote.Frames.request;
import static io.github.stablecut.cluster.internal.antidote.Frames.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The codec reads and writes the bytes that AntidoteDB's own server and clients exchange. */
final class GoldenBytesTest {
  private static final String BUCKET = "746573745f6275636b65";
  private static final Bytes DESCRIPTOR = Bytes.wrap(new byte[59]);
  private static final Bytes CLOCK = Bytes.wrap(new byte[60]);
  private static final String ZEROS_59 = "00".repeat(59);
  private static final String ZEROS_60 = "00".repeat(60);

  private static BoundObject object(String key, WireType type) {
    return new BoundObject(Bytes.utf8(key), type, Frames.bytes(BUCKET));
  }

  private static void assertRoundTrip(String hex, Request request) {
    assertThat(request(hex)).isEqualTo(request);
    assertThat(hex(RequestCodec.write(request, NO_LIMIT))).isEqualTo(hex.replace(" ", ""));
  }

  private static void assertRoundTrip(String hex, Response response) {
    assertThat(hex(ResponseCodec.write(response, NO_LIMIT))).isEqualTo(hex.replace(" ", ""));
    assertThat(response(hex)).isEqualTo(response);
  }

  @Test
  void startsATransactionWithAnEmptyBodyAndWithEmptyProperties() {
    assertRoundTrip("00000001 77", new Request.Start(Optional.empty()));
    assertThat(request("00000003 77 1200")).isEqualTo(new Request.Start(Optional.empty()));
    assertRoundTrip("00000040 7c 0801 123b" + ZEROS_59, new Response.Started(DESCRIPTOR));
  }

  @Test
  void takesTheErlangAtomIgnoreInBothEncodingsForNoBound() {
    assertThat(request("0000000d 77 0a0a 83640006 69676e6f7265"))
        .isEqualTo(new Request.Start(Optional.empty()));
    assertThat(request("0000000c 77 0a09 837706 69676e6f7265"))
        .isEqualTo(new Request.Start(Optional.empty()));
    assertThat(request("0000000e 7b 0a0b 0a09 837706 69676e6f7265"))
        .isEqualTo(new Request.StaticRead(Optional.empty(), List.of()));
    assertThat(request("0000000f 7a 0a0c 0a0a 83640006 69676e6f7265"))
        .isEqualTo(new Request.StaticUpdate(Optional.empty(), List.of()));
    assertThat(request("00000003 77 0a00")).isEqualTo(new Request.Start(Optional.of(Bytes.EMPTY)));
  }

  @Test
  void incrementsACounterByFiveAndByNothing() {
    BoundObject counter = object("c", WireType.COUNTER);
    assertRoundTrip(
        "00000059 76 0a19 0a11 0a0163 1003 1a0a" + BUCKET + "1204 0a02080a 123b" + ZEROS_59,
        new Request.Update(
            List.of(new ObjectUpdate(counter, new WireOperation.Count(5))), DESCRIPTOR));
    assertThat(
            request(
                "00000057 76 0a17 0a11 0a0163 1003 1a0a" + BUCKET + "1202 0a00 123b" + ZEROS_59))
        .isEqualTo(
            new Request.Update(
                List.of(new ObjectUpdate(counter, new WireOperation.Count(1))), DESCRIPTOR));
    assertRoundTrip("00000003 6f 0801", new Response.Done());
  }

  @Test
  void readsACounterOfSixAndOneBeyond32Bits() {
    assertRoundTrip(
        "00000009 7e 0801 1204 0a02080c", new Response.Values(List.of(new WireValue.Count(6))));
    assertRoundTrip(
        "0000000d 7e 0801 1208 0a06 08fff782ad16",
        new Response.Values(List.of(new WireValue.Count(-3_000_000_000L))));
  }

  @Test
  void commitsAndRefusesToCommit() {
    assertRoundTrip("00000041 7f 0801 123c" + ZEROS_60, new Response.Committed(CLOCK));
    assertRoundTrip("00000005 7f 0800 1803", new Response.NotCommitted(ErrorCode.ABORTED));
  }

  @Test
  void addsToASetAndReadsIt() {
    List<Bytes> added = List.of(Bytes.utf8("b"), Bytes.utf8("a"), Bytes.utf8("c"));
    assertThat(
            request(
                "00000029 7a 0a021200 1222 0a11 0a0173 1004 1a0a"
                    + BUCKET
                    + "120d 120b 0801 120162 120161 120163"))
        .isEqualTo(
            new Request.StaticUpdate(
                Optional.empty(),
                List.of(
                    new ObjectUpdate(
                        object("s", WireType.ORSET), new WireOperation.Elements(true, added)))));
    assertRoundTrip(
        "00000054 80 0a0f 0801 120b 1209 0a0161 0a0162 0a0163 1240 0801 123c" + ZEROS_60,
        new Response.StaticValues(
            List.of(new WireValue.Elements(added.stream().sorted().toList())), CLOCK));
  }

  @Test
  void sendsEmptyValuesAsPresentMessages() {
    emptyValue("0a08080112040a020800", new WireValue.Count(0));
    emptyValue("0a06080112021200", new WireValue.Elements(List.of()));
    emptyValue("0a08080112041a020a00", new WireValue.Register(Bytes.EMPTY));
    emptyValue("0a06080112022200", new WireValue.Registers(List.of()));
    emptyValue("0a06080112023200", new WireValue.Entries(List.of()));
    emptyValue("0a08080112043a020800", new WireValue.Flag(false));
  }

  private static void emptyValue(String objects, WireValue value) {
    String hex =
        hex(ResponseCodec.write(new Response.StaticValues(List.of(value), CLOCK), NO_LIMIT));
    assertThat(hex.substring(10)).startsWith(objects);
  }

  @Test
  void sendsErrorsWithAMessage() {
    assertRoundTrip(
        "00000007 00 0a026e6f 1002", new Response.Failed(ErrorCode.NO_PERMISSIONS, "no"));
    assertRoundTrip("00000005 6f 0800 1002", new Response.Refused(ErrorCode.NO_PERMISSIONS));
    assertThat(response("00000008 00 0a026e6f 10e707"))
        .isEqualTo(new Response.Failed(ErrorCode.UNKNOWN, "no"));
  }

  @Test
  void readsTheMessagesOfDataCentres() {
    assertRoundTrip("00000004 81 0a0161", new Request.CreateDataCentre(List.of("a")));
    assertRoundTrip("00000004 83 0a0162", new Request.ConnectDataCentres(List.of(Bytes.utf8("b"))));
    assertRoundTrip("00000001 85", new Request.DescribeConnection());
    assertRoundTrip("00000003 82 0801", new Response.DataCentreCreated());
    assertRoundTrip("00000003 84 0801", new Response.DataCentresConnected());
    assertRoundTrip("00000006 86 0801 120164", new Response.ConnectionDescribed(Bytes.utf8("d")));
  }

  @Test
  void refusesAnUpdateWithSeveralOperations() {
    String set = "1204 0801 1200";
    String counter = "0a02 080a";
    String object = "0a06 0a00 1003 1a00";
    for (String operations : List.of(set + counter, counter + set, "3200" + counter + set)) {
      String operation = operations.replace(" ", "");
      String update =
          object.replace(" ", "") + "12%02x".formatted(operation.length() / 2) + operation;
      String body = "7a0a0012%02x".formatted(update.length() / 2) + update;

      assertRefused(
          "%08x".formatted(body.length() / 2) + body,
          "an update has several operations (counterop, setop, ...)");
    }
  }

  @Test
  void skipsUnknownFields() {
    assertThat(request("00000019 77 a00601 a206020161 a50601020304 a906 0102030405060708"))
        .isEqualTo(new Request.Start(Optional.empty()));
  }

  @Test
  void namesTheDefectOfAMessage() {
    assertRefused("00000001 63", "no request has code 99");
    assertRefused("00000001 72", "no request has code 114");
    assertRefused("00000001 7f", "no request has code 127");
    assertRefused("00000000", "the frame is empty");
    assertRefused("00000001 78", "transaction_descriptor is missing");
    assertRefused("0000000b 7b 0a00 1206 0a00 1007 1a00", "no data type number 7");
    assertRefused("00000003 78 0a05", "5 bytes, and 0 are left");
    assertRefused("00000007 78 0affffffff7f", "bytes, and 0 are left");
    assertRefused("00000003 78 0aff", "in the middle of a number");
    assertRefused("0000000d 78 0affffffffffffffffffff7f", "more than ten bytes");
    assertRefused("00000003 78 0801", "wire type 0 instead of 2");
    assertRefused("00000002 77 13", "this protocol does not use");
    assertRefused("00000003 77 0001", "has number 0");
    assertRefused("00000009 7a 0a00 1204 0a00 1200", "the key of an object is missing");
  }

  private static void assertRefused(String hex, String message) {
    assertThatThrownBy(() -> request(hex))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining(message);
  }
}
