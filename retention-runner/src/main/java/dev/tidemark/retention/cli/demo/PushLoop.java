package dev.tidemark.retention.cli.demo;

/** What one pushing thread does until it is stopped or has nothing left. */
interface PushLoop {
  void run(Sender sender, Stop stop) throws InterruptedException;
}
