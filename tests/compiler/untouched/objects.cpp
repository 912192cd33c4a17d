// Containers, algorithms, exceptions and threads, and no MPI.
#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

double dot(const std::vector<double> &a, const std::vector<double> &b) {
    if (a.size() != b.size()) throw std::invalid_argument("lengths " + std::to_string(a.size()));
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

std::map<std::string, int> count(const std::vector<std::string> &words) {
    std::map<std::string, int> counts;
    for (const std::string &word : words) counts[word]++;
    return counts;
}

void scale(std::vector<float> &a, float factor) {
    std::transform(a.begin(), a.end(), a.begin(), [=](float x) { return x * factor; });
    std::sort(a.begin(), a.end());
}

long sum_in_threads(const std::vector<int> &all, unsigned threads) {
    std::vector<long> sums(threads);
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; t++)
        running.emplace_back([&, t] {
            for (std::size_t i = t; i < all.size(); i += threads) sums[t] += all[i];
        });
    for (std::thread &one : running) one.join();
    return std::accumulate(sums.begin(), sums.end(), 0L);
}
