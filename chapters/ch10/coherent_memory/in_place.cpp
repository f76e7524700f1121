// One kernel that reads what malloc gave, where it lies: over NVLink-C2C a device uses the host's
// page tables, and a load that misses its caches fetches a line of the host's memory. Where a
// device cannot, this rung is refused: that pages may migrate behind a program's back is another
// thing.
#include <memory>

#include "base/refuse.hpp"
#include "chapters/ch10/coherent_memory/host_matrix.hpp"
#include "chapters/ch10/coherent_memory/rows.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace ch10;

int attribute(cudaDeviceAttr which) {
  int device = 0, answer = 0;
  lab::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  lab::check_cuda(cudaDeviceGetAttribute(&answer, which, device), "cudaDeviceGetAttribute");
  return answer;
}

void refuse_unless_coherent() {
  const int pageable = attribute(cudaDevAttrPageableMemoryAccess);
  const int tables = attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
  if (pageable != 0 && tables != 0) return;
  base::refuse(base::Exit::environment,
               "in_place needs a device that shares the host's page tables, as GH200 and GB200 do: "
               "this one says pageableMemoryAccess ",
               pageable, " and pageableMemoryAccessUsesHostPageTables ", tables);
}

lab::Run prepare(lab::Setup& setup) {
  refuse_unless_coherent();
  setup.note(base::say("path: the host's page tables; the host's memory is NUMA node ",
                       attribute(cudaDevAttrHostNumaId)));
  const auto matrices = std::make_shared<HostMatrices>(HostKind::pageable);
  setup.stages_inputs({0});
  setup.before_each_run([matrices](const lab::Launch& launch) { matrices->before_run(launch); });
  return [matrices](const lab::Launch& launch) { enqueue_all(launch, matrices->of(launch).get()); };
}

const lab::RungEntry entry{"ch10:coherent_memory",
                           {.name = "in_place",
                            .step = 2,
                            .builds_on = "managed_prefetch",
                            .idea = "one kernel reads the program's own memory over the link",
                            .look_at = "no copy and no page moves; one launch",
                            .prepare = prepare}};

}  // namespace
