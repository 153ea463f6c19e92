//! Wall-clock and CPU time of repetitions.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// Duration of one repetition.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    pub wall: Duration,
    /// CPU time of all threads of the process.
    pub cpu: Duration,
}

/// Durations of several repetitions.
#[derive(Debug, Clone, Default)]
pub struct Times(Vec<Sample>);

impl Times {
    pub fn push(&mut self, sample: Sample) {
        self.0.push(sample);
    }

    /// Shortest wall-clock time in milliseconds, which other work on the machine disturbs least.
    pub fn best(&self) -> f64 {
        self.sorted(|sample| sample.wall).first().copied().unwrap_or_default()
    }

    /// Median wall-clock time in milliseconds.
    pub fn median(&self) -> f64 {
        median(&self.sorted(|sample| sample.wall))
    }

    /// Shortest CPU time in milliseconds. With one thread, it is the wall-clock time of an idle
    /// machine.
    pub fn best_cpu(&self) -> f64 {
        self.sorted(|sample| sample.cpu).first().copied().unwrap_or_default()
    }

    /// Median CPU time in milliseconds.
    pub fn median_cpu(&self) -> f64 {
        median(&self.sorted(|sample| sample.cpu))
    }

    fn sorted(&self, time: impl Fn(&Sample) -> Duration) -> Vec<f64> {
        let mut times: Vec<f64> = self.0.iter().map(|s| time(s).as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        times
    }
}

/// Measures `work` once.
pub fn time<T>(work: impl FnOnce() -> T) -> (T, Sample) {
    let (wall, cpu) = (Instant::now(), cpu_time());
    let result = std::hint::black_box(work());
    (result, Sample { wall: wall.elapsed(), cpu: cpu_time().saturating_sub(cpu) })
}

/// Measures `work` `count` times, after a warm-up. The time of `prepare` does not count.
pub fn repeat<I, T>(
    count: usize,
    mut prepare: impl FnMut() -> I,
    mut work: impl FnMut(I) -> T,
) -> Times {
    work(prepare());
    let mut times = Times::default();
    for _ in 0..count {
        let input = prepare();
        times.push(time(|| work(input)).1);
    }
    times
}

/// CPU time of the process so far.
pub fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

fn median(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_is_the_shortest_time() {
        let mut times = Times::default();
        for wall in [30, 10, 500] {
            let cpu = Duration::from_millis(2 * wall);
            times.push(Sample { wall: Duration::from_millis(wall), cpu });
        }
        assert_eq!((times.best(), times.median()), (10.0, 30.0));
        assert_eq!((times.best_cpu(), times.median_cpu()), (20.0, 60.0));
    }

    #[test]
    fn preparation_is_not_timed() {
        let slow = || std::thread::sleep(Duration::from_millis(20));
        assert!(repeat(2, slow, |()| ()).median() < 15.0);
    }
}
