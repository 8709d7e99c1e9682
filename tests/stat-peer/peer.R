# SPDX-License-Identifier: GPL-3.0-or-later
# The same data through R and through rig's statistics (stat-peer on standard input): every figure
# must agree to 1e-9, relative above 1. Output is TAP. Usage: Rscript peer.R PATH-OF-stat-peer
peer <- commandArgs(trailingOnly = TRUE)[1]
set.seed(20261130)
TOLERANCE <- 1e-9
cases <- list()

text <- function(v) ifelse(is.na(v), "nan", sprintf("%.17g", v))
add <- function(name, operation, lists, expected) {
  line <- paste(c(operation, unlist(lapply(lists, function(v) c(length(v), text(v))))), collapse = " ")
  cases[[length(cases) + 1]] <<- list(name = name, line = line, expected = as.numeric(expected))
}

# --- data: like throughputs, like counters, with heavy tails, of unequal size and spread
samples <- list(
  throughput = list(log(c(500123, 498765, 502001, 499500, 501234)), log(c(480000, 478123, 481999, 479500, 480777))),
  small = list(c(1.5, 2.25, 1.75), c(2.5, 2.75, 3.5)),
  two = list(c(1, 2), c(3, 5)),
  unequal = list(rnorm(4, 10, 0.1), rnorm(23, 10.2, 3)),
  heavy = list(rt(12, 3), rt(12, 3) + 1),
  far = list(rnorm(8), rnorm(8) + 40),
  large = list(1e9 + rnorm(20), 1e9 + rnorm(20)),
  many = list(rnorm(60), rnorm(50, 0.2, 2)))

t_expected <- function(b, h, ...) {
  i95 <- t.test(h, b, ...)
  i90 <- t.test(h, b, conf.level = 0.9, ...)
  difference <- if (length(i95$estimate) == 2) i95$estimate[1] - i95$estimate[2] else i95$estimate
  c(difference, i95$stderr, i95$parameter, i95$statistic, i95$p.value, i95$conf.int, i90$conf.int)
}

for (name in names(samples)) {
  b <- samples[[name]][[1]]
  h <- samples[[name]][[2]]
  add(paste("welch", name), "welch", list(b, h), t_expected(b, h))
  add(paste("pooled", name), "pooled", list(b, h), t_expected(b, h, var.equal = TRUE))
  if (length(b) == length(h))
    add(paste("paired", name), "paired", list(b, h), t_expected(b, h, paired = TRUE))
  add(paste("basic", name), "basic", list(exp(b / max(abs(b)))), {
    x <- exp(b / max(abs(b)))
    c(mean(x), sd(x), median(x), mean(log(x)), sum(table(x)^3 - table(x)), rank(x))
  })
}
holed <- list(c(5, NA, 6, 7, 9, NA), c(NA, 8, 9, 12, 10, 11))
add("welch with failed runs", "welch", holed, t_expected(holed[[1]], holed[[2]]))
add("paired with failed runs", "paired", holed, t_expected(holed[[1]], holed[[2]], paired = TRUE))
add("ranks with ties", "basic", list(c(3, 1, 3, 2, 2, 3, 7)), {
  x <- c(3, 1, 3, 2, 2, 3, 7)
  c(mean(x), sd(x), median(x), mean(log(x)), sum(table(x)^3 - table(x)), rank(x))
})

# --- Student's t itself: small, fractional, and where GSL would approximate (above 30)
for (df in c(1, 1.7, 2, 3.3, 8, 29.9, 30.5, 38, 77.7, 500, 1e5))
  for (t in c(1e-8, 0.3, 1, 2.1, 5, 30))
    add(sprintf("t %g on %g", t, df), "t", list(c(t, df, 0.05)), c(2 * pt(-t, df), qt(0.975, df)))

# --- ranks: exact without ties, as R has it
for (n in list(c(3, 3), c(4, 4), c(5, 5), c(6, 6), c(4, 9), c(20, 20), c(12, 31))) {
  b <- rnorm(n[1])
  h <- rnorm(n[2], 0.7)
  w <- suppressWarnings(wilcox.test(h, b, exact = TRUE, conf.int = TRUE))
  add(sprintf("rank %d %d", n[1], n[2]), "rank", list(b, h), c(w$statistic, w$p.value, 1))
  # Below four a side no interval has 95 %, and R gives the widest that there is instead.
  interval <- if (min(n) < 4) c(NA, NA) else w$conf.int
  add(sprintf("shift %d %d", n[1], n[2]), "shift", list(b, h), c(w$estimate, interval))
}
# --- ranks: exact with ties by going through all ways of dealing the ranks
exact_ties <- function(b, h) {
  r <- rank(c(h, b))
  m <- length(h)
  sums <- combn(length(r), m, function(i) sum(r[i]))
  middle <- m * (length(r) + 1) / 2
  c(sum(r[1:m]) - m * (m + 1) / 2, mean(abs(sums - middle) >= abs(sum(r[1:m]) - middle) - 1e-9), 1)
}
for (i in 1:6) {
  b <- rpois(4 + i %% 3, 3)
  h <- rpois(5 + i %% 2, 4)
  add(sprintf("rank with ties %d", i), "rank", list(b, h), exact_ties(b, h))
}
b <- rpois(60, 20)
h <- rpois(70, 21)
w <- wilcox.test(h, b, exact = FALSE, correct = TRUE)
add("rank of many, with ties", "rank", list(b, h), c(w$statistic, w$p.value, 0))

# --- pairs
flips <- function(d) {
  sums <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(d)))) %*% d
  c(mean(abs(sums) >= abs(sum(d)) - 1e-12), 1)
}
for (n in c(1, 2, 6, 7, 12)) {
  d <- rnorm(n, 0.5)
  add(sprintf("sign flips of %d", n), "flip", list(d), flips(d))
}
add("sign flips with ties and zeros", "flip", list(c(1, 1, 0, -1, 2, 2, 0.5)), flips(c(1, 1, 0, -1, 2, 2, 0.5)))
for (n in c(6, 7, 10, 25, 45)) {
  d <- rnorm(n, 0.5)
  w <- wilcox.test(d, exact = TRUE, conf.int = TRUE)
  add(sprintf("shift of %d pairs", n), "shift-pairs", list(d), c(w$estimate, w$conf.int))
}
d <- rnorm(5)
add("shift of 5 pairs", "shift-pairs", list(d), c(wilcox.test(d, exact = TRUE, conf.int = TRUE, conf.level = 0.9)$estimate, NA, NA))

# --- failures
for (f in list(c(0, 5, 5, 5), c(0, 3, 3, 3), c(1, 10, 6, 12), c(0, 6, 0, 6), c(4, 4, 4, 4), c(3, 20, 11, 17), c(7, 200, 30, 300)))
  add(paste("fisher", paste(f, collapse = " ")), "fisher", list(f),
      fisher.test(matrix(c(f[1], f[2] - f[1], f[3], f[4] - f[3]), 2))$p.value)

# --- several tests at once
for (p in list(c(0.01, 0.02, 0.03, 0.04), c(0.5, 0.0001, NA, 0.03, 0.03, 1), runif(200)^2))
  add(sprintf("holm and bh of %d", length(p)), "adjust", list(p), c(p.adjust(p, "holm"), p.adjust(p, "BH")))

# --- power
for (df in c(1, 2, 4.5, 8, 60, 5000))
  for (ncp in c(0, 0.7, 3, 8))
    for (t in c(-1, 0.5, 2.3, 12))
      add(sprintf("noncentral t %g %g %g", t, df, ncp), "noncentral", list(c(t, df, ncp)),
          if (t < 0) 1 - pt(t, df, ncp) else pt(t, df, ncp, lower.tail = FALSE))
solve_effect <- function(n, type)
  uniroot(function(d) power.t.test(n, d, type = type, strict = TRUE)$power - 0.8, c(1e-3, 100), tol = 1e-13)$root
for (n in c(2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 100))
  for (effect in c(0.3, 2))
    add(sprintf("power of %d at %g sd", n, effect), "power", list(c(n, effect)),
        c(power.t.test(n, effect, strict = TRUE)$power, power.t.test(n, effect, type = "paired", strict = TRUE)$power,
          solve_effect(n, "two.sample"), solve_effect(n, "paired")))
for (effect in c(0.05, 0.2, 0.5, 1, 2.01))
  add(sprintf("runs needed for %g sd", effect), "needed", list(effect),
      c(ceiling(power.t.test(delta = effect, power = 0.8, strict = TRUE)$n),
        ceiling(power.t.test(delta = effect, power = 0.8, type = "paired", strict = TRUE)$n)))

# --- moderated t: Smyth's formulas, written out
trigamma_inverse <- function(x)
  exp(uniroot(function(l) log(trigamma(exp(l))) - log(x), c(-40, 40), tol = 1e-15)$root)
for (x in c(1e-8, 1e-4, 0.1, 1, pi^2 / 6, 10, 1e4, 1e9))
  add(sprintf("inverse trigamma %g", x), "trigamma", list(x), trigamma_inverse(x))
moderated <- function(s2, df, difference, factor) {
  v <- pmax(s2, 1e-5 * median(s2))
  e <- log(v) - digamma(df / 2) + log(df / 2)
  extra <- var(e) - mean(trigamma(df / 2))
  if (extra > 0) {
    d0 <- 2 * trigamma_inverse(extra)
    s0 <- exp(mean(e) + digamma(d0 / 2) - log(d0 / 2))
    post <- (d0 * s0 + df * s2) / (d0 + df)
  } else {
    d0 <- Inf
    s0 <- mean(v)
    post <- rep(s0, length(s2))
  }
  t <- difference / sqrt(post * factor)
  total <- pmin(d0 + df, sum(df))
  c(d0, s0, rbind(t, total, 2 * pt(-abs(t), total)))
}
moderated_case <- function(name, n, prior_df, df) {
  s2 <- 0.04 * (if (is.finite(prior_df)) prior_df / rchisq(n, prior_df) else 1) * rchisq(n, df) / df
  difference <- rnorm(n, 0, 0.1)
  factor <- rep(0.4, n)
  add(name, "moderated", list(s2, df, difference, factor), moderated(s2, df, difference, factor))
}
moderated_case("moderated t", 300, 4, rep(8, 300))
moderated_case("moderated t, degrees that differ", 100, 6, rep(c(8, 7, 5, 1), 25))
moderated_case("moderated t, all variances the same", 10, Inf, rep(400, 10))
moderated_case("moderated t, variances that vary less than chance", 12, Inf, rep(2, 12))

# --- compare
input <- tempfile()
writeLines(vapply(cases, function(case) case$line, ""), input)
answers <- system2(peer, stdin = input, stdout = TRUE)
cat(sprintf("1..%d\n", length(cases) + 1))
cat(sprintf("%s 1 - as many answers as questions\n", if (length(answers) == length(cases)) "ok" else "not ok"))
failed <- length(answers) != length(cases)
agrees <- function(a, b) {
  if (length(a) != length(b)) return(FALSE)
  same <- (is.na(a) & is.na(b)) | a == b | abs(a - b) <= TOLERANCE * pmax(1, abs(b))
  all(!is.na(same) & same)
}
for (i in seq_along(cases)) {
  got <- if (i <= length(answers)) suppressWarnings(as.numeric(strsplit(trimws(answers[i]), " ")[[1]])) else numeric(0)
  ok <- agrees(got, cases[[i]]$expected)
  failed <- failed || !ok
  cat(sprintf("%s %d - %s\n", if (ok) "ok" else "not ok", i + 1, cases[[i]]$name))
  if (!ok)
    cat(sprintf("# rig: %s\n# R:   %s\n", paste(format(got, digits = 15), collapse = " "),
                paste(format(cases[[i]]$expected, digits = 15), collapse = " ")))
}
quit(status = if (failed) 1 else 0)
