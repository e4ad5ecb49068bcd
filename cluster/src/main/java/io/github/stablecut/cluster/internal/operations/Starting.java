package io.github.stablecut.cluster.internal.operations;

import io.github.stablecut.cluster.internal.network.HttpAnswer;
import io.github.stablecut.cluster.internal.network.HttpAnswers;
import io.github.stablecut.cluster.internal.network.HttpCall;

/** The answers of the port for operators while the server recovers its store, or joins. */
public final class Starting implements HttpAnswers {
  /** It needs to know nothing. */
  public Starting() {}

  @Override
  public boolean isQuick(HttpCall call) {
    return true;
  }

  @Override
  public HttpAnswer answer(HttpCall call) {
    return !call.isPost() && call.path().equals("/alive")
        ? HttpAnswer.text(200, "alive")
        : HttpAnswer.text(503, "not ready: the server is starting");
  }
}
