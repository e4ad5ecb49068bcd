package io.github.stablecut.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Failures that nobody awaits are logged. */
class FireAndForgetTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(FireAndForget.class);
  private final List<String> logged = new CopyOnWriteArrayList<>();

  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          logged.add(event.getMessage() + ": " + event.getThrowableProxy().getMessage());
        }
      };

  @BeforeEach
  void listen() {
    appender.start();
    logger.addAppender(appender);
    logger.setAdditive(false);
  }

  @AfterEach
  void end() {
    logger.setAdditive(true);
    logger.detachAppender(appender);
  }

  @Test
  void theFailureOfAnActionIsLogged() {
    CompletableFuture<String> stage = new CompletableFuture<>();
    FireAndForget.whenDone(
        stage,
        (result, failure) -> {
          throw new IllegalStateException("after " + result);
        });
    assertThat(logged).isEmpty();

    stage.complete("reply");

    assertThat(logged).containsExactly("the action after a completed request failed: after reply");
  }

  @Test
  void theFailureOfAStageIsLoggedOnce() {
    FireAndForget.logFailure(CompletableFuture.completedFuture(1), "not invited");
    assertThat(logged).isEmpty();

    FireAndForget.logFailure(
        CompletableFuture.failedFuture(new IllegalStateException("no link")), "not invited");

    assertThat(logged).containsExactly("not invited: no link");
  }

  @Test
  void failuresDoNotEndARepetitionAndAFewAreLogged() throws InterruptedException {
    CountDownLatch runs = new CountDownLatch(8);
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      FireAndForget.repeat(
          timer,
          1,
          "a test's task",
          () -> {
            runs.countDown();
            throw new AssertionError("tick");
          });
      runs.await();
    } finally {
      timer.shutdownNow();
    }
    assertThat(logged).hasSize(5).containsOnly("a test's task failed: tick");
  }
}
