package io.github.stablecut.cluster.internal.akka;

import akka.actor.ActorSystem;
import akka.event.EventStream;
import akka.event.LogMarker;
import akka.event.slf4j.Slf4jLoggingFilter;
import io.github.stablecut.log.Log;
import io.github.stablecut.log.LogLimit;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/**
 * Limits the rate of Akka's log messages per class: anyone who can send to the port can cause them.
 * Thread-safe.
 */
public final class LimitedLog extends Slf4jLoggingFilter {
  private static final Logger LOG = Log.of(LimitedLog.class);

  /** The period of the limit. It is short, as a starting node itself logs many messages. */
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private final Map<Class<?>, LogLimit> limits = new ConcurrentHashMap<>();

  /** Created by Akka, by the class name in the settings. */
  public LimitedLog(ActorSystem.Settings settings, EventStream events) {
    super(settings, events);
  }

  @Override
  public boolean isErrorEnabled(Class<?> logClass, String logSource) {
    return super.isErrorEnabled(logClass, logSource) && admit(logClass);
  }

  @Override
  public boolean isWarningEnabled(Class<?> logClass, String logSource) {
    return super.isWarningEnabled(logClass, logSource) && admit(logClass);
  }

  @Override
  public boolean isInfoEnabled(Class<?> logClass, String logSource) {
    return super.isInfoEnabled(logClass, logSource) && admit(logClass);
  }

  @Override
  public boolean isErrorEnabled(Class<?> logClass, String logSource, LogMarker marker) {
    return super.isErrorEnabled(logClass, logSource, marker) && admit(logClass);
  }

  @Override
  public boolean isWarningEnabled(Class<?> logClass, String logSource, LogMarker marker) {
    return super.isWarningEnabled(logClass, logSource, marker) && admit(logClass);
  }

  @Override
  public boolean isInfoEnabled(Class<?> logClass, String logSource, LogMarker marker) {
    return super.isInfoEnabled(logClass, logSource, marker) && admit(logClass);
  }

  private boolean admit(Class<?> logClass) {
    var admitted =
        limits.computeIfAbsent(logClass, type -> new LogLimit(5, PERIOD, System::nanoTime)).admit();
    if (admitted.orElse(0) > 0) {
      LOG.warn(
          "{} more log messages of {} were suppressed", admitted.getAsLong(), logClass.getName());
    }
    return admitted.isPresent();
  }
}
