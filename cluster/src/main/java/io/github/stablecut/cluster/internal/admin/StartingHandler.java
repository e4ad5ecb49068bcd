package io.github.stablecut.cluster.internal.admin;

import io.github.stablecut.cluster.internal.network.HttpHandler;
import io.github.stablecut.cluster.internal.network.HttpRequest;
import io.github.stablecut.cluster.internal.network.HttpResponse;

/** Answers requests to the admin port while the server recovers its store or joins the cluster. */
public final class StartingHandler implements HttpHandler {
  /** A handler without state. */
  public StartingHandler() {}

  @Override
  public boolean isQuick(HttpRequest call) {
    return true;
  }

  @Override
  public HttpResponse answer(HttpRequest call) {
    return !call.isPost() && call.path().equals("/alive")
        ? HttpResponse.text(200, "alive")
        : HttpResponse.text(503, "not ready: the server is starting");
  }
}
