// The tensors of a program's call and what a block does with them: the parameters of the lambda.
#pragma once

#include <cstddef>
#include <vector>

#include "jit/trace/functions.hpp"
#include "jit/trace/number.hpp"
#include "jit/trace/tracer.hpp"

namespace aisp::jit {

namespace detail {
class Tensor {
 public:
  explicit Tensor(int parameter) : parameter_(parameter) {}
  Index extent(int axis, std::source_location at = std::source_location::current()) const;

 protected:
  void name(const std::string& name) const;
  Tile loaded(const Starts& starts, const Sizes& sizes, bool widens,
              const std::source_location& at) const;
  enum class Extent { whole, part };
  void stored(const Starts& starts, Arg value, const Reduction* reduction,
              Extent extent = Extent::whole) const;
  int parameter_;
};

int add_input(int rank);
int add_output(int rank);
}  // namespace detail

template <int tensor_rank>
class Input : public detail::Tensor {
 public:
  static constexpr int rank = tensor_rank;
  static constexpr const char* kind = "Input";
  Input() : Tensor(detail::add_input(rank)) {}
  const Input& named(const std::string& text) const {
    name(text);
    return *this;
  }
  // What is outside of the tensor is not read and takes no part in reductions. Computed in f32.
  Tile load(Starts starts, Sizes extents,
            std::source_location at = std::source_location::current()) const {
    return loaded(starts, extents, true, at);
  }
  // In the tensor's own element type: an operand of dot.
  Tile at(Starts starts, Sizes extents,
          std::source_location at = std::source_location::current()) const {
    return loaded(starts, extents, false, at);
  }
};

template <int tensor_rank>
class Output : public detail::Tensor {
 public:
  static constexpr int rank = tensor_rank;
  static constexpr const char* kind = "Output";
  Output() : Tensor(detail::add_output(rank)) {}
  const Output& named(const std::string& text) const {
    name(text);
    return *this;
  }
  // Rounded to the tensor's type; nothing outside of it is written.
  void store(Starts starts, Arg value) const { stored(starts, value, nullptr); }
  // The same where part of the output, or part of the value, is left out on purpose: extents are
  // not compared, and what is not written stays as it was.
  void store_part(Starts starts, Arg value) const { stored(starts, value, nullptr, Extent::part); }
  void add(Starts starts, Arg value) const {
    constexpr Reduction reduction = Reduction::sum;
    stored(starts, value, &reduction);
  }
  void raise(Starts starts, Arg value) const {  // to the larger one
    constexpr Reduction reduction = Reduction::max;
    stored(starts, value, &reduction);
  }
};

namespace detail {
template <class T>
struct ArrayElement;
template <>
struct ArrayElement<float> {
  static constexpr Element value = Element::f32;
};
template <>
struct ArrayElement<int> {
  static constexpr Element value = Element::s32;
};
template <>
struct ArrayElement<signed char> {
  static constexpr Element value = Element::s8;
};
Tile gathered(const BoundArray& array, Element element, const std::string& name, Arg index);
Number copied(const BoundArray& array, Element element, const Number& index);
}  // namespace detail

// Device memory that a program reads by element: array[index]. A program keeps the address, so an
// array is never another one: there is no assignment.
template <class T>
class Array {
 public:
  Array(const T* data, std::size_t count, std::string name = {})
      : data_(data), count_(count), name_(std::move(name)) {}
  Array(const Array&) = default;
  Array& operator=(const Array&) = delete;
  const T* data() const { return data_; }
  std::size_t count() const { return count_; }
  Tile operator[](Arg index) const {
    return detail::gathered({data_, count_}, detail::ArrayElement<T>::value, name_, index);
  }
  // Out of a copy: see HostCopies.
  Number operator[](const Number& index) const {
    return detail::copied({data_, count_}, detail::ArrayElement<T>::value, index);
  }

 private:
  const T* data_;
  std::size_t count_;
  std::string name_;
};

// Arrays as they are when it is made, in the host's memory. Several threads may read it.
class HostCopies {
 public:
  // `parameters` are a function's, `arrays` the device memory behind its arrays.
  HostCopies(const std::vector<Parameter>& parameters, const std::vector<BoundArray>& arrays);

  // While it lives, numbers of this thread read these copies.
  class Reading {
   public:
    explicit Reading(const HostCopies& copies);
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    const HostCopies* outer_;
  };

 private:
  friend Number detail::copied(const BoundArray&, Element, const Number&);
  std::vector<std::pair<const void*, std::vector<double>>> copies_;  // few
};

}  // namespace aisp::jit
