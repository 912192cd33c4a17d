#include "mpi/type_map.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace stretto::mpi {

// ---------------------------------------------------------------------------------------------------------------------
// Borders of basic elements

namespace {
constexpr std::size_t runs_limit = 4096;
}

void ElementPattern::append_elements(std::size_t element_bytes, std::size_t count) {
    if (element_bytes == 0 || count == 0) return;
    ElementPattern uniform;
    uniform.runs_ = {{0, element_bytes}};
    uniform.period_ = uniform.bytes_ = element_bytes;
    append(uniform, element_bytes * count);
}

void ElementPattern::append(const ElementPattern &other, std::size_t bytes) {
    if (bytes == 0) return;
    known_ = known_ && other.known_;
    if (bytes_ == 0) {
        runs_ = other.runs_;
        period_ = other.period_;
    } else if (known_ && (period_ != other.period_ || runs_ != other.runs_)) {
        // Two different patterns: from here on the pattern is everything so far.
        unroll();
        for (std::size_t begin = 0; known_ && begin < bytes; begin += other.period_) {
            for (Run run : other.runs_) {
                if (runs_.back().element_bytes != run.element_bytes)
                    runs_.push_back({bytes_ + begin + run.packed, run.element_bytes});
            }
            known_ = runs_.size() <= runs_limit;
            if (other.runs_.size() == 1) break;
        }
        period_ = bytes_ + bytes;
    }
    bytes_ += bytes;
}

void ElementPattern::unroll() {
    if (runs_.size() > 1) {
        const std::size_t once = runs_.size();
        for (std::size_t begin = period_; begin < bytes_ && known_; begin += period_) {
            for (std::size_t i = 0; i < once; ++i) {
                if (runs_.back().element_bytes != runs_[i].element_bytes)
                    runs_.push_back({begin + runs_[i].packed, runs_[i].element_bytes});
            }
            known_ = runs_.size() <= runs_limit;
        }
    }
    period_ = bytes_;
}

bool ElementPattern::border(std::size_t packed_offset) const {
    if (bytes_ == 0 || !known_) return packed_offset == 0;
    std::size_t offset = packed_offset % period_;
    auto after = std::partition_point(runs_.begin(), runs_.end(), [=](const Run &r) { return r.packed <= offset; });
    const Run &run = *std::prev(after);
    return (offset - run.packed) % run.element_bytes == 0;
}

bool ElementPattern::borders_every(std::size_t step) const {
    if (bytes_ == 0 || !known_ || step == 0) return false;
    // Within the pattern, the multiples of step fall on all multiples of the greatest common divisor.
    std::size_t grid = std::gcd(step, period_);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        std::size_t end = i + 1 < runs_.size() ? runs_[i + 1].packed : period_;
        std::size_t first = (runs_[i].packed + grid - 1) / grid * grid;
        if (first >= end) continue;
        if ((first - runs_[i].packed) % runs_[i].element_bytes != 0) return false;
        if (first + grid < end && grid % runs_[i].element_bytes != 0) return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Flattening

namespace {

/// What a datatype was made of. Datatypes among the contents are freed at the end, where they must be.
class Contents {
public:
    explicit Contents(MPI_Datatype type);
    ~Contents();
    Contents(const Contents &) = delete;
    Contents &operator=(const Contents &) = delete;

    int combiner = 0;
    std::vector<int> integers;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Count> large_counts;
    std::vector<MPI_Datatype> types;

    /// The constructor was called in its large-count form: sizes and displacements are among large_counts.
    bool large() const { return !large_counts.empty(); }
};

int combiner_of(MPI_Datatype type) {
    int combiner = 0;
#if MPI_VERSION >= 4
    MPI_Count integers, addresses, large_counts, types;
    library.Type_get_envelope_c(type, &integers, &addresses, &large_counts, &types, &combiner);
#else
    int integers, addresses, types;
    library.Type_get_envelope(type, &integers, &addresses, &types, &combiner);
#endif
    return combiner;
}

/// The types that no call made and MPI_Type_free must not see (MPI 4.1, 5.1.13 and 19.1.9).
bool never_freed(int combiner) {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

Contents::Contents(MPI_Datatype type) {
#if MPI_VERSION >= 4
    MPI_Count integer_count = 0, address_count = 0, large_count_count = 0, type_count = 0;
    library.Type_get_envelope_c(type, &integer_count, &address_count, &large_count_count, &type_count, &combiner);
    large_counts.resize(static_cast<std::size_t>(large_count_count));
#else
    int integer_count = 0, address_count = 0, type_count = 0;
    library.Type_get_envelope(type, &integer_count, &address_count, &type_count, &combiner);
#endif
    integers.resize(static_cast<std::size_t>(integer_count));
    addresses.resize(static_cast<std::size_t>(address_count));
    types.resize(static_cast<std::size_t>(type_count), MPI_DATATYPE_NULL);
    if (combiner == MPI_COMBINER_NAMED) // has no contents; asking is an error
        return;
#if MPI_VERSION >= 4
    library.Type_get_contents_c(type, integer_count, address_count, large_count_count, type_count, integers.data(),
                                addresses.data(), large_counts.data(), types.data());
#else
    library.Type_get_contents(type, integer_count, address_count, type_count, integers.data(), addresses.data(),
                              types.data());
#endif
}

Contents::~Contents() {
    for (MPI_Datatype type : types) {
        if (type != MPI_DATATYPE_NULL && !never_freed(combiner_of(type))) library.Type_free(&type);
    }
}

} // namespace

/// Builds the type map of one datatype from those of the datatypes that it was made of.
class Flattening {
public:
    static TypeMap flatten(MPI_Datatype type) {
        Flattening flattening;
        flattening.build(type);
        return std::move(flattening.map_);
    }

private:
    void build(MPI_Datatype type);
    void build_named(MPI_Datatype type);
    void build_derived(const Contents &contents);
    void build_subarray(const Contents &contents, const TypeMap &old);
    void build_darray(const Contents &contents, const TypeMap &old);

    void append_memory(std::ptrdiff_t offset, std::size_t bytes);

    /// count elements of old, the first one's origin at offset, each an extent after the one before.
    void append_block(const TypeMap &old, std::ptrdiff_t offset, std::size_t count);

    /// Blocks of indices per dimension (the fastest first) of an array of old.
    struct Block {
        std::size_t begin, count;
    };
    struct Dimension {
        std::vector<Block> blocks;
        std::size_t size;
    };
    void append_array(const TypeMap &old, const std::vector<Dimension> &dimensions);

    /// Whether there is still something to do: the limits are not reached.
    bool within_limits() {
        if (++steps_ > TypeMap::steps_limit || map_.segments_.size() > TypeMap::segments_limit) map_.known_ = false;
        return map_.known_;
    }

    TypeMap map_;
    std::size_t packed_ = 0;
    std::size_t steps_ = 0;
};

void Flattening::append_memory(std::ptrdiff_t offset, std::size_t bytes) {
    if (bytes == 0) return;
    std::vector<Segment> &segments = map_.segments_;
    if (!segments.empty() && segments.back().offset + static_cast<std::ptrdiff_t>(segments.back().bytes) == offset)
        segments.back().bytes += bytes;
    else
        segments.push_back({offset, bytes, packed_});
    packed_ += bytes;
}

void Flattening::append_block(const TypeMap &old, std::ptrdiff_t offset, std::size_t count) {
    if (old.contiguous_) {
        if (within_limits()) append_memory(offset + old.segments_[0].offset, count * old.bytes_);
        return;
    }
    if (old.segments_.empty()) return;
    for (std::size_t i = 0; i < count; ++i, offset += old.extent_) {
        for (const Segment &segment : old.segments_) {
            if (!within_limits()) return;
            append_memory(offset + segment.offset, segment.bytes);
        }
    }
}

void Flattening::append_array(const TypeMap &old, const std::vector<Dimension> &dimensions) {
    for (const Dimension &dimension : dimensions) {
        if (dimension.blocks.empty()) return;
    }
    // An odometer over the indices of all dimensions but the fastest, whose blocks are copied whole.
    struct Wheel {
        std::size_t block = 0, index = 0;
    };
    std::vector<Wheel> wheels(dimensions.size());
    for (;;) {
        std::ptrdiff_t row = 0, stride = static_cast<std::ptrdiff_t>(dimensions[0].size);
        for (std::size_t d = 1; d < dimensions.size(); ++d) {
            const Block &block = dimensions[d].blocks[wheels[d].block];
            row += stride * static_cast<std::ptrdiff_t>(block.begin + wheels[d].index);
            stride *= static_cast<std::ptrdiff_t>(dimensions[d].size);
        }
        for (const Block &block : dimensions[0].blocks) {
            if (!within_limits()) return;
            append_block(old, (row + static_cast<std::ptrdiff_t>(block.begin)) * old.extent_, block.count);
        }
        std::size_t d = 1;
        for (; d < dimensions.size(); ++d) {
            Wheel &wheel = wheels[d];
            if (++wheel.index < dimensions[d].blocks[wheel.block].count) break;
            wheel.index = 0;
            if (++wheel.block < dimensions[d].blocks.size()) break;
            wheel.block = 0;
        }
        if (d >= dimensions.size()) return;
    }
}

void Flattening::build(MPI_Datatype type) {
    MPI_Aint lower_bound = 0, extent = 0;
    library.Type_get_extent(type, &lower_bound, &extent);
    map_.lower_bound_ = lower_bound;
    map_.extent_ = extent;

    Contents contents(type);
    if (never_freed(contents.combiner)) {
        map_.predefined_ = true;
        build_named(type);
    } else {
        build_derived(contents);
    }
    if (map_.known_) {
        map_.bytes_ = packed_;
        map_.contiguous_ = map_.segments_.size() == 1 && static_cast<std::ptrdiff_t>(packed_) == extent;
    } else {
        map_.segments_ = {};
        map_.elements_ = {};
        MPI_Count bytes = 0;
#if MPI_VERSION >= 4
        library.Type_size_c(type, &bytes);
#else
        library.Type_size_x(type, &bytes);
#endif
        map_.bytes_ = static_cast<std::size_t>(std::max<MPI_Count>(bytes, 0));
    }
}

void Flattening::build_named(MPI_Datatype type) {
    int size = 0;
    library.Type_size(type, &size);
    std::size_t bytes = static_cast<std::size_t>(std::max(size, 0));
    if (type == MPI_PACKED) {
        map_.known_ = false;
        return;
    }
    // Named types that are two elements: a value and an index for MPI_MINLOC and MPI_MAXLOC (MPI 4.1, 6.9.4), laid out
    // as a C structure of the two; Fortran's are two of a kind.
    for (MPI_Datatype pair :
         {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT}) {
        if (type == pair) {
            std::size_t value = bytes - sizeof(int);
            append_memory(0, value);
            append_memory(static_cast<std::ptrdiff_t>(std::max(value, alignof(int))), sizeof(int));
            map_.elements_.append_elements(value, 1);
            map_.elements_.append_elements(sizeof(int), 1);
            return;
        }
    }
    std::size_t elements = 1;
    for (MPI_Datatype pair : {
             MPI_2REAL,
             MPI_2DOUBLE_PRECISION,
             MPI_2INTEGER,
#ifdef MPI_2COMPLEX // Open MPI's own
             MPI_2COMPLEX,
             MPI_2DOUBLE_COMPLEX,
#endif
         }) {
        if (type == pair) elements = 2;
    }
    append_memory(0, bytes);
    map_.elements_.append_elements(bytes / elements, elements);
}

void Flattening::build_derived(const Contents &contents) {
    std::vector<TypeMap> old;
    for (MPI_Datatype type : contents.types) {
        old.push_back(flatten(type));
        map_.known_ = map_.known_ && old.back().known_;
    }
    if (!map_.known_ || old.empty()) // an empty structure has no members
        return;

    // Both forms of a constructor give the same numbers in the same order; only where they are differs.
    auto count = [&](std::size_t i) {
        return static_cast<std::size_t>(contents.large() ? contents.large_counts[i] : contents.integers[i]);
    };
    auto displacement = [&](std::size_t i) {
        return static_cast<std::ptrdiff_t>(contents.large() ? contents.large_counts[i] : contents.integers[i]);
    };
    auto address = [&](std::size_t counts_before, std::size_t i) {
        return static_cast<std::ptrdiff_t>(contents.large() ? contents.large_counts[counts_before + i]
                                                            : contents.addresses[i]);
    };
    const std::ptrdiff_t extent = old[0].extent_;

    switch (contents.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        append_block(old[0], 0, 1);
        break;
    case MPI_COMBINER_CONTIGUOUS:
        append_block(old[0], 0, count(0));
        break;
    case MPI_COMBINER_VECTOR:
        for (std::size_t i = 0; i < count(0) && within_limits(); ++i)
            append_block(old[0], static_cast<std::ptrdiff_t>(i) * displacement(2) * extent, count(1));
        break;
    case MPI_COMBINER_HVECTOR:
        for (std::size_t i = 0; i < count(0) && within_limits(); ++i)
            append_block(old[0], static_cast<std::ptrdiff_t>(i) * address(2, 0), count(1));
        break;
    case MPI_COMBINER_INDEXED:
        for (std::size_t i = 0; i < count(0) && within_limits(); ++i)
            append_block(old[0], displacement(1 + count(0) + i) * extent, count(1 + i));
        break;
    case MPI_COMBINER_HINDEXED:
        for (std::size_t i = 0; i < count(0) && within_limits(); ++i)
            append_block(old[0], address(1 + count(0), i), count(1 + i));
        break;
    case MPI_COMBINER_INDEXED_BLOCK:
        for (std::size_t i = 0; i < count(0) && within_limits(); ++i)
            append_block(old[0], displacement(2 + i) * extent, count(1));
        break;
    case MPI_COMBINER_HINDEXED_BLOCK:
        for (std::size_t i = 0; i < count(0) && within_limits(); ++i) append_block(old[0], address(2, i), count(1));
        break;
    case MPI_COMBINER_STRUCT:
        for (std::size_t i = 0; i < count(0) && within_limits(); ++i) {
            append_block(old[i], address(1 + count(0), i), count(1 + i));
            map_.elements_.append(old[i].elements_, count(1 + i) * old[i].bytes_);
        }
        return;
    case MPI_COMBINER_SUBARRAY:
        build_subarray(contents, old[0]);
        break;
    case MPI_COMBINER_DARRAY:
        build_darray(contents, old[0]);
        break;
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    case MPI_COMBINER_VALUE_INDEX: { // as a C structure of the two (MPI 4.1, 6.9.4)
        append_block(old[0], 0, 1);
        std::ptrdiff_t index = (old[0].extent_ + old[1].extent_ - 1) / old[1].extent_ * old[1].extent_;
        append_block(old[1], index, 1);
        map_.elements_.append(old[0].elements_, old[0].bytes_);
        map_.elements_.append(old[1].elements_, old[1].bytes_);
        return;
    }
#endif
    default:
        map_.known_ = false;
        return;
    }
    map_.elements_.append(old[0].elements_, packed_);
}

void Flattening::build_subarray(const Contents &contents, const TypeMap &old) {
    const std::size_t n = static_cast<std::size_t>(contents.integers[0]);
    const int order = contents.large() ? contents.integers[1] : contents.integers[1 + 3 * n];
    auto number = [&](std::size_t i) {
        return static_cast<std::size_t>(contents.large() ? contents.large_counts[i] : contents.integers[1 + i]);
    };
    std::vector<Dimension> dimensions(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t from = order == MPI_ORDER_C ? n - 1 - i : i;
        dimensions[i] = {{{number(2 * n + from), number(n + from)}}, number(from)};
    }
    append_array(old, dimensions);
}

void Flattening::build_darray(const Contents &contents, const TypeMap &old) {
    // MPI 4.1, 5.1.4: the processes form a grid, numbered as a C array whatever the order of the array of elements.
    const std::vector<int> &integers = contents.integers;
    const std::size_t n = static_cast<std::size_t>(integers[2]);
    const std::size_t sizes = contents.large() ? 0 : n; // where the array's sizes stand among the integers
    auto integer = [&](std::size_t list, std::size_t i) { return integers[3 + sizes + list * n + i]; };
    const int order = integers[3 + sizes + 3 * n];

    std::vector<Dimension> dimensions(n);
    std::size_t rest = static_cast<std::size_t>(integers[1]);
    for (std::size_t i = n; i-- > 0;) {
        const std::size_t size =
            static_cast<std::size_t>(contents.large() ? contents.large_counts[i] : integers[3 + i]);
        const std::size_t processes = static_cast<std::size_t>(integer(2, i));
        const std::size_t coordinate = rest % processes;
        rest /= processes;

        const bool given = integer(1, i) != MPI_DISTRIBUTE_DFLT_DARG;
        std::size_t block = size;
        if (integer(0, i) == MPI_DISTRIBUTE_BLOCK)
            block = given ? static_cast<std::size_t>(integer(1, i)) : (size + processes - 1) / processes;
        else if (integer(0, i) == MPI_DISTRIBUTE_CYCLIC)
            block = given ? static_cast<std::size_t>(integer(1, i)) : 1;

        Dimension &dimension = dimensions[order == MPI_ORDER_C ? n - 1 - i : i];
        dimension.size = size;
        for (std::size_t begin = coordinate * block; begin < size && within_limits(); begin += block * processes)
            dimension.blocks.push_back({begin, std::min(block, size - begin)});
    }
    append_array(old, dimensions);
}

// ---------------------------------------------------------------------------------------------------------------------
// The type maps that are known

namespace {

/// Handles are pointers in Open MPI and in the standard ABI, integers in MPICH; only this cast takes both.
std::uintptr_t number_of(MPI_Datatype type) {
    return (std::uintptr_t)type;
}

/// Types that are never freed are found without a lock: open addressing, and slots are only ever filled.
class PredefinedTypes {
public:
    const TypeMap *find(MPI_Datatype type) const {
        const std::uintptr_t number = number_of(type);
        for (std::size_t i = first_slot(number);; i = (i + 1) % slots_.size()) {
            std::uintptr_t there = slots_[i].type.load(std::memory_order_acquire);
            if (there == number) return slots_[i].map;
            if (there == 0) return nullptr;
        }
    }

    /// False when the table is full. Only one thread at a time.
    bool add(MPI_Datatype type, const TypeMap &map) {
        if (count_ == slots_.size() / 2) return false;
        std::size_t i = first_slot(number_of(type));
        while (slots_[i].type.load(std::memory_order_relaxed) != 0) i = (i + 1) % slots_.size();
        ++count_;
        slots_[i].map = &map;
        slots_[i].type.store(number_of(type), std::memory_order_release);
        return true;
    }

private:
    static constexpr unsigned slots_log2 = 9;
    static std::size_t first_slot(std::uintptr_t number) { return (number * 0x9e3779b97f4a7c15u) >> (64 - slots_log2); }

    struct Slot {
        std::atomic<std::uintptr_t> type{0}; // no MPI has a handle 0 for a datatype
        const TypeMap *map = nullptr;
    };
    std::array<Slot, std::size_t{1} << slots_log2> slots_;
    std::size_t count_ = 0;
};

constinit PredefinedTypes predefined_types;

} // namespace

/// All type maps. An attribute on each derived datatype tells when its handle may come to mean another one: both Open
/// MPI and MPICH call its delete function when the object behind the handle goes, at MPI_Type_free or, where something
/// under way or another datatype still refers to it, later.
class TypeMapCache {
public:
    /// Never destroyed: datatypes may be freed, and MPI finalized, while the process's static objects go.
    static TypeMapCache &instance() {
        alignas(TypeMapCache) static std::byte memory[sizeof(TypeMapCache)];
        static TypeMapCache &cache = *new (memory) TypeMapCache;
        return cache;
    }

    const TypeMap &find_or_flatten(MPI_Datatype type);

private:
    const TypeMap *find(MPI_Datatype type);
    void forget(MPI_Datatype type);
    static int keyval();

    // Never held across a call to the MPI library, which may come back to forget().
    std::mutex mutex_;
    std::unordered_map<std::uintptr_t, std::shared_ptr<TypeMap>> maps_;

    // What each thread found last; void as soon as any datatype was freed.
    std::atomic<std::uint64_t> generation_{1};
    struct Last {
        std::uint64_t generation = 0;
        MPI_Datatype type{};
        const TypeMap *map = nullptr;
    };
    static thread_local Last last_;
};

thread_local TypeMapCache::Last TypeMapCache::last_;

int TypeMapCache::keyval() {
    static const int keyval = [] {
        // Open MPI's own null functions are symbols of its library, which we do not link.
        auto never_copied = [](MPI_Datatype, int, void *, void *, void *, int *copied) -> int {
            *copied = 0;
            return MPI_SUCCESS;
        };
        auto forget_freed = [](MPI_Datatype type, int, void *, void *) -> int {
            instance().forget(type);
            return MPI_SUCCESS;
        };
        int created = MPI_KEYVAL_INVALID;
        library.Type_create_keyval(never_copied, forget_freed, &created, nullptr);
        return created;
    }();
    return keyval;
}

const TypeMap *TypeMapCache::find(MPI_Datatype type) {
    const std::uint64_t generation = generation_.load(std::memory_order_acquire);
    if (last_.generation == generation && last_.type == type) return last_.map;
    std::lock_guard lock(mutex_);
    auto found = maps_.find(number_of(type));
    if (found == maps_.end()) return nullptr;
    last_ = {generation, type, found->second.get()};
    return found->second.get();
}

const TypeMap &TypeMapCache::find_or_flatten(MPI_Datatype type) {
    if (const TypeMap *map = find(type)) return *map;
    auto flattened = std::make_shared<TypeMap>(Flattening::flatten(type));
    flattened->self_ = flattened;
    const TypeMap *map;
    {
        std::lock_guard lock(mutex_);
        auto [place, inserted] = maps_.emplace(number_of(type), std::move(flattened));
        map = place->second.get();
        if (!inserted) // another thread flattened it meanwhile
            return *map;
        if (map->predefined_) {
            predefined_types.add(type, *map);
            return *map;
        }
    }
    library.Type_set_attr(type, keyval(), nullptr);
    return *map;
}

void TypeMapCache::forget(MPI_Datatype type) {
    std::lock_guard lock(mutex_);
    maps_.erase(number_of(type));
    generation_.fetch_add(1, std::memory_order_release);
}

[[gnu::hot]] const TypeMap &type_map(MPI_Datatype type) {
    if (const TypeMap *map = predefined_types.find(type)) return *map;
    return TypeMapCache::instance().find_or_flatten(type);
}

// ---------------------------------------------------------------------------------------------------------------------
// Packing

std::shared_ptr<const TypeMap> TypeMap::untouchable() const {
    auto map = std::make_shared<TypeMap>();
    map->bytes_ = bytes_;
    map->extent_ = extent_;
    map->lower_bound_ = lower_bound_;
    map->known_ = false;
    return map;
}

// An array lies in one kind of memory: its two ends say which. What is given by addresses may lie in several.
bool drivers_know(const void *base, MPI_Count count, MPI_Datatype type) {
    if (count <= 0 || type == MPI_DATATYPE_NULL || base == MPI_IN_PLACE) return false;
    const auto is_devices = [base](std::ptrdiff_t offset) {
        const auto address = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset);
        return devices::memory_of(reinterpret_cast<const void *>(address)) == devices::Memory::device;
    };
    const std::span<const Segment> segments = type_map(type).segments();
    if (segments.empty()) return is_devices(type_map(type).lower_bound());
    if (base == MPI_BOTTOM)
        return std::any_of(segments.begin(), segments.end(),
                           [&](const Segment &segment) { return is_devices(segment.offset); });
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(count - 1) * type_map(type).extent();
    return is_devices(segments.front().offset) || is_devices(last + segments.back().offset);
}

TypedBuffer::TypedBuffer(const void *base, MPI_Count count, MPI_Datatype type)
    : base_(reinterpret_cast<std::uintptr_t>(base)), count_(static_cast<std::size_t>(count)),
      map_(type_map(type).shared()) {
    if (in_device_memory(base, count, type)) [[unlikely]]
        map_ = map_->untouchable();
    if (!map_->known()) type_ = std::make_shared<const OwnType>(type);
}

std::size_t TypedBuffer::segment_of(std::size_t packed_in_element) const {
    std::span<const Segment> segments = map_->segments();
    auto after = std::partition_point(segments.begin(), segments.end(),
                                      [=](const Segment &segment) { return segment.packed <= packed_in_element; });
    return static_cast<std::size_t>(after - segments.begin()) - 1;
}

namespace {

/// memcpy, without the call for the sizes that strided types consist of.
inline void copy(std::byte *to, const std::byte *from, std::size_t bytes) {
    switch (bytes) {
    case 4:
        std::memcpy(to, from, 4);
        break;
    case 8:
        std::memcpy(to, from, 8);
        break;
    case 16:
        std::memcpy(to, from, 16);
        break;
    default:
        std::memcpy(to, from, bytes);
    }
}

} // namespace

template <typename Function>
void TypedBuffer::for_each_group(Function &&function) const {
    const std::size_t element = std::max<std::size_t>(map_->bytes(), 1);
    const std::size_t most = std::max<std::size_t>(INT_MAX / 2 / element, 1);
    for (std::size_t k = 0; k < count_; k += most)
        function(at(static_cast<std::ptrdiff_t>(k) * map_->extent()), static_cast<int>(std::min(most, count_ - k)),
                 k * element);
}

void TypedBuffer::pack_all(std::byte *out) const {
    if (map_->known()) return pack(0, bytes(), out);
    for_each_group([&](const void *elements, int count, std::size_t offset) {
        int position = 0;
        library.Pack(elements, count, type_->handle(), out + offset,
                     static_cast<int>(static_cast<std::size_t>(count) * map_->bytes()), &position, MPI_COMM_SELF);
    });
}

void TypedBuffer::unpack_all(const std::byte *in) const {
    if (map_->known()) return unpack(0, bytes(), in);
    for_each_group([&](void *elements, int count, std::size_t offset) {
        int position = 0;
        library.Unpack(in + offset, static_cast<int>(static_cast<std::size_t>(count) * map_->bytes()), &position,
                       elements, count, type_->handle(), MPI_COMM_SELF);
    });
}

void TypedBuffer::pack(std::size_t packed_begin, std::size_t bytes, std::byte *out) const {
    for_each_piece(packed_begin, bytes, [&](const std::byte *memory, std::size_t piece) {
        copy(out, memory, piece);
        out += piece;
    });
}

void TypedBuffer::unpack(std::size_t packed_begin, std::size_t bytes, const std::byte *in) const {
    for_each_piece(packed_begin, bytes, [&](std::byte *memory, std::size_t piece) {
        copy(memory, in, piece);
        in += piece;
    });
}

} // namespace stretto::mpi
