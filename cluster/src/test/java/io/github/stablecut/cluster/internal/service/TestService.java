package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.datacentre.UnconnectedDataCentre;
import io.github.stablecut.cluster.internal.secret.SigningKey;
import io.github.stablecut.cluster.internal.service.handle.Client;
import io.github.stablecut.cluster.internal.service.handle.ClientHandles;
import io.github.stablecut.cluster.internal.service.handle.HandleShares;
import io.github.stablecut.cluster.internal.service.handle.NanoClock;
import io.github.stablecut.cluster.internal.service.handle.OpenTransactions;
import io.github.stablecut.cluster.internal.service.handle.Origin;
import io.github.stablecut.cluster.internal.service.handle.TransactionLimits;
import io.github.stablecut.object.ObjectTypes;
import io.github.stablecut.option.Certification;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;

/** Services for tests: stores without other data centres, and no metrics. */
public final class TestService {
  private static final long MAX_ANSWER_BYTES = 1 << 20;

  /** Every client may take all places. */
  public static final HandleShares SHARES = new HandleShares(100, 100, 100, Duration.ofHours(1));

  private static final LargeRequests LARGE = new LargeRequests(1 << 30, Duration.ofSeconds(10));

  private static final TransactionLimits LIMITS =
      new TransactionLimits(
          1, 1, 1 << 20, Duration.ofHours(1), SHARES, Certification.READ_THEN_UPDATED);

  private TestService() {}

  /** Creates a service with answers of at most 1 MiB and one transaction at a time. */
  public static Service of(Store store, Executor executor, NanoClock clock) {
    OpenTransactions transactions = new OpenTransactions(LIMITS, clock, "", Set::of);
    CallHandler calls =
        new CallHandler(
            new ServedStore(store),
            ObjectTypes.none(),
            () -> new Answer.PartitionOwners(0, 0, List.of(), List.of()),
            transactions,
            new ClientHandles(LIMITS, new ClientHandles.Limits(100, 100), clock),
            new SessionIds(SigningKey.random()),
            RequestMeter.NONE,
            MAX_ANSWER_BYTES);
    return new Service(
        requests(store, transactions, MAX_ANSWER_BYTES),
        calls,
        LARGE,
        executor,
        RequestMeter.NONE,
        clock);
  }

  /** Creates a handler of requests of AntidoteDB's protocol. */
  public static RequestHandler requests(
      Store store, OpenTransactions transactions, long maxAnswerBytes) {
    return requests(
        store,
        transactions,
        new DataCentreRequests(new UnconnectedDataCentre(() -> 7), () -> 1, true),
        maxAnswerBytes);
  }

  /** Creates a handler of requests of AntidoteDB's protocol, including those of data centres. */
  static RequestHandler requests(
      Store store,
      OpenTransactions transactions,
      DataCentreRequests dataCentre,
      long maxAnswerBytes) {
    return new RequestHandler(
        new ServedStore(store), transactions, RequestMeter.NONE, dataCentre, maxAnswerBytes);
  }

  /** Creates an empty table of transactions. */
  static OpenTransactions transactions() {
    return new OpenTransactions(LIMITS, System::nanoTime, "", Set::of);
  }

  /** Creates a connection from this machine. */
  public static Client client() {
    return new Client(() -> new Origin("127.0.0.1", Optional.empty()));
  }
}
