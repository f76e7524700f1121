#include "peers/python/interpreter.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"
#include "peers/python/sources.hpp"

namespace aisp::peers {

// The entry points that are used, under their names in libpython; objects are opaque.
struct Interpreter::Api {
  int (*Py_IsInitialized)();
  void (*Py_InitializeEx)(int);
  void* (*PyEval_SaveThread)();
  int (*PyGILState_Ensure)();
  void (*PyGILState_Release)(int);
  void* (*PyImport_AddModule)(const char*);
  void* (*PyModule_GetDict)(void*);
  void* (*PyRun_String)(const char*, int, void*, void*);
  void* (*PyDict_GetItemString)(void*, const char*);
  void* (*PyUnicode_FromStringAndSize)(const char*, ssize_t);
  const char* (*PyUnicode_AsUTF8AndSize)(void*, ssize_t*);
  void* (*PyObject_CallFunctionObjArgs)(void*, ...);
  void (*PyErr_Print)();
  void (*Py_DecRef)(void*);
};

namespace {

using nlohmann::json;

constexpr int file_input = 257;  // Py_file_input: a whole file of statements

// Python's lock, held while its objects are touched; other threads of Python run when it is free.
template <class Api>
class Locked {
 public:
  explicit Locked(const Api& api) : api_(api), state_(api.PyGILState_Ensure()) {}
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() { api_.PyGILState_Release(state_); }

 private:
  const Api& api_;
  int state_;
};

template <class Api>
Api load(const std::string& path) {
  // Global, because extension modules expect Python's symbols to be there already.
  const base::SharedLibrary library(path, base::SharedLibrary::Symbols::global);
  if (!library) base::refuse(base::Exit::environment, "Python is not usable: ", library.problem());
  const auto find = [&](auto& function, const char* name) {
    if (!library.find(function, name))
      base::refuse(base::Exit::environment, path, " is no library of Python 3: it has no ", name);
  };
  Api api{};
  find(api.Py_IsInitialized, "Py_IsInitialized");
  find(api.Py_InitializeEx, "Py_InitializeEx");
  find(api.PyEval_SaveThread, "PyEval_SaveThread");
  find(api.PyGILState_Ensure, "PyGILState_Ensure");
  find(api.PyGILState_Release, "PyGILState_Release");
  find(api.PyImport_AddModule, "PyImport_AddModule");
  find(api.PyModule_GetDict, "PyModule_GetDict");
  find(api.PyRun_String, "PyRun_String");
  find(api.PyDict_GetItemString, "PyDict_GetItemString");
  find(api.PyUnicode_FromStringAndSize, "PyUnicode_FromStringAndSize");
  find(api.PyUnicode_AsUTF8AndSize, "PyUnicode_AsUTF8AndSize");
  find(api.PyObject_CallFunctionObjArgs, "PyObject_CallFunctionObjArgs");
  find(api.PyErr_Print, "PyErr_Print");
  find(api.Py_DecRef, "Py_DecRef");
  return api;
}

}  // namespace

Interpreter::Interpreter(const Python& python, const std::map<std::string, std::string>& modules) {
  static const Api api = load<Api>(python.library);
  api_ = &api;
  if (api.Py_IsInitialized() != 0) throw std::logic_error("Python runs in this process already");
  // For this start only: children are other interpreters with homes of their own.
  const char* set = std::getenv("PYTHONHOME");
  const json home = set != nullptr ? json(set) : json();
  setenv("PYTHONHOME", python.home.c_str(), 1);
  api.Py_InitializeEx(0);  // without handlers of signals: they are the worker's
  void* names = api.PyModule_GetDict(api.PyImport_AddModule("aisp_peers.bridge"));
  void* ran = api.PyRun_String(std::string(embedded::bridge_py).c_str(), file_input, names, names);
  if (ran == nullptr) api.PyErr_Print();
  answer_ = ran != nullptr ? api.PyDict_GetItemString(names, "answer") : nullptr;
  api.PyEval_SaveThread();
  if (answer_ == nullptr)
    base::refuse(base::Exit::environment, "Python ", python.version, " at ", python.executable,
                 " cannot run aisp's own Python code");
  // bridge.py calls itself by its place in the package, which has to be there first.
  call("bridge.carry", {{"texts", modules}});
  call("bridge.settle", {{"executable", python.executable},
                         {"prefix", python.prefix},
                         {"exec_prefix", python.exec_prefix},
                         {"path", python.path},
                         {"home", home}});
}

nlohmann::json Interpreter::call(const std::string& function, const nlohmann::json& arguments) {
  std::string text;
  {
    const Locked lock(*api_);
    const auto string = [&](const std::string& from) {
      return api_->PyUnicode_FromStringAndSize(from.data(), static_cast<ssize_t>(from.size()));
    };
    void* name = string(function);
    void* request = string(arguments.dump());
    void* reply = api_->PyObject_CallFunctionObjArgs(answer_, name, request, nullptr);
    ssize_t length = 0;
    const char* data = reply != nullptr ? api_->PyUnicode_AsUTF8AndSize(reply, &length) : nullptr;
    if (data != nullptr) text.assign(data, static_cast<std::size_t>(length));
    if (data == nullptr) api_->PyErr_Print();
    for (void* object : {reply, request, name})
      if (object != nullptr) api_->Py_DecRef(object);
  }
  if (text.empty()) throw PythonError(function + " gave no answer");
  const auto reply = nlohmann::json::parse(text);
  if (reply.contains("error")) throw PythonError(reply.at("error"));
  return reply.at("result");
}

void end_before_others() {
  on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
}

Interpreter& interpreter() {
  static Interpreter* instance = [] {
    const Python& found = python();
    if (!found.missing.empty()) base::refuse(base::Exit::environment, found.missing);
    auto* started =
        new Interpreter(found, {{"device", std::string(embedded::device_py)},
                                {"attention", std::string(embedded::attention_py)},
                                {"convolution", std::string(embedded::convolution_py)},
                                {"flex", std::string(embedded::flex_py)},
                                {"rows", std::string(embedded::rows_py)},
                                {"contraction", std::string(embedded::contraction_py)},
                                {"row_programs", std::string(embedded::row_programs_py)},
                                {"triton_rows", std::string(embedded::triton_rows_py)},
                                {"triton_attention", std::string(embedded::triton_attention_py)}});
    return started;  // never deleted: Python ends with the process
  }();
  return *instance;
}

}  // namespace aisp::peers
