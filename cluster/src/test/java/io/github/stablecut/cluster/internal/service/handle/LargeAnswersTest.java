package io.github.stablecut.cluster.internal.service.handle;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.service.RequestHandler;
import io.github.stablecut.cluster.internal.service.TestService;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.option.Certification;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small request can have a huge answer, whose size is limited while it is computed. */
class LargeAnswersTest {
  private static final int ELEMENTS = 1_000;
  private static final BoundObject SET =
      new BoundObject(Bytes.utf8("k"), WireType.ORSET, Bytes.utf8("b"));

  @TempDir Path directory;

  private Store store;
  private RequestHandler handler;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory.resolve("data"));
    OpenTransactions open =
        new OpenTransactions(
            new TransactionLimits(
                9, 9, 1 << 20, Duration.ofHours(1), TestService.SHARES, Certification.NONE),
            System::nanoTime,
            "",
            Set::of);
    handler = TestService.requests(store, open, 100_000);
    List<Bytes> elements =
        IntStream.range(0, ELEMENTS).mapToObj(i -> Bytes.utf8(Integer.toString(i))).toList();
    assertThat(
            answer(
                new Request.StaticUpdate(
                    Optional.empty(),
                    List.of(new ObjectUpdate(SET, new WireOperation.Elements(true, elements))))))
        .isInstanceOf(Response.Committed.class);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Response answer(Request request) {
    return handler.handle(request, TestService.client()).join();
  }

  private Response read(int times) {
    return answer(new Request.StaticRead(Optional.empty(), Collections.nCopies(times, SET)));
  }

  private Bytes begin() {
    return ((Response.Started) answer(new Request.Start(Optional.empty()))).descriptor();
  }

  private Response validate(Bytes token, int times) {
    return answer(
        new Request.Validate(
            Collections.nCopies(times, SET), Collections.nCopies(times, token), begin()));
  }

  private static void assertTooLarge(Response response) {
    assertThat(response)
        .isInstanceOfSatisfying(
            Response.Failed.class,
            failed -> {
              assertThat(failed.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED);
              assertThat(failed.message()).contains("read fewer objects at once");
            });
  }

  @Test
  void readingStopsAtTheMaximumOfAnAnswer() {
    assertTooLarge(read(100));
    assertTooLarge(answer(new Request.Read(Collections.nCopies(100, SET), begin())));
    assertTooLarge(validate(Bytes.EMPTY, 100));
  }

  @Test
  void aRepeatedObjectIsInMemoryOnce() {
    Response.StaticValues values = (Response.StaticValues) read(2);

    assertThat(values.values()).hasSize(2);
    assertThat(values.values().get(0)).isSameAs(values.values().get(1));
  }

  @Test
  void theNewestIdsOfLargeObjectsAreRememberedUpToANumberAndASize() {
    LargeAnswers large = new LargeAnswers(Duration.ofSeconds(1));
    for (int i = 0; i < 2 * LargeAnswers.MAX_EXPECTED; i++) {
      find(large, Bytes.utf8("id" + i));
    }
    assertThat(large.isExpected(Bytes.utf8("id" + (LargeAnswers.MAX_EXPECTED - 1)))).isFalse();
    assertThat(large.isExpected(Bytes.utf8("id" + LargeAnswers.MAX_EXPECTED))).isTrue();

    Bytes last = Bytes.EMPTY;
    int idBytes = 32 << 10;
    for (int i = 0; i < 2 * LargeAnswers.MAX_EXPECTED_BYTES / idBytes; i++) {
      byte[] id = new byte[idBytes];
      id[0] = (byte) i;
      last = Bytes.wrap(id);
      find(large, last);
    }

    assertThat(large.expectedBytes())
        .isBetween(LargeAnswers.MAX_EXPECTED_BYTES - idBytes, LargeAnswers.MAX_EXPECTED_BYTES);
    assertThat(large.isExpected(last)).isTrue();
  }

  private static void find(LargeAnswers large, Bytes id) {
    LargeAnswers.Permit permit = large.permit();
    permit.acquireFor(id);
    permit.release();
  }

  @Test
  void unchangedValuesDoNotCountTowardsTheAnswer() {
    Bytes token = ((Response.Validated) validate(Bytes.EMPTY, 1)).tokens().get(0);

    assertThat(validate(token, 100)).isInstanceOf(Response.Validated.class);
  }
}
