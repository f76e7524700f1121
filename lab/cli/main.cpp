#include "lab/cli/commands.hpp"

int main(int count, char** words) { return lab::run_cli(count, words); }
