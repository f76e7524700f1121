// The help page as values, and the scripts made of it.
#include "app/completion/help_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "app/completion/completion_command.hpp"
#include "app/completion/scripts.hpp"
#include "tests/support/files.hpp"

namespace aisp::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

constexpr const char* page = R"(# aisp

Text.

## aisp bench run

Times rungs.

```
aisp bench run [--targets chNN[:name][,…]|all] [--timer events|graph] [--peers [auto|none|a,b]] [--seed N]
               [--device auto|sim[:NAME[,sms=N]]] [--trace] [--out DIR]
```

- `--targets LIST`: which ones; more about it (default all)
- `--timer KIND`: `events` puts device events around the launch, `graph` times the replay of a recorded CUDA graph (default events)
- `--peers WHICH`: other people's [libraries]: there are some
- `--seed N`: where it starts
- `--device KIND`: where it runs
- `--trace`: don't guess
- `--out DIR`: where it goes

### Columns

- `--none`: is no option

## aisp shelf

Shows it.

```
aisp shelf show [chNN]
aisp shelf check [RUN] [--file FILE]
```

- `--file FILE`: one of them

## aisp check

Runs a program.

```
aisp check [options] [--] PROGRAM [ARGUMENT…]
aisp check --rules
options: [--max N]
```

- `--max N`: at most
- `--rules`: list them

## aisp paint

Paints.

```
aisp paint red|green TARGET
```

## aisp help

Helps.

```
aisp help [COMMAND]
aisp COMMAND --help
aisp --version
```

## Files

- `--not`: an option
)";

const HelpCommand& command(const HelpPage& read, const std::string& name) {
  for (const auto& one : read.commands)
    if (one.name == name) return one;
  throw std::logic_error("no command " + name);
}

const HelpOption& option(const HelpCommand& command, const std::string& name) {
  for (const auto& one : command.options)
    if (one.name == name) return one;
  throw std::logic_error("no option " + name);
}

TEST(HelpPage, HasTheCommands) {
  Words names;
  for (const auto& one : read_help_page(page).commands) names.push_back(one.name);
  EXPECT_THAT(names,
              ElementsAre("bench run", "shelf show", "shelf check", "check", "paint", "help"));
  EXPECT_THAT(read_help_page(page).options, ElementsAre("--version", "--help"));
  EXPECT_EQ(command(read_help_page(page), "shelf check").summary, "Shows it.");
}

TEST(HelpPage, HasTheOptionsAndWhatTheyTake) {
  const auto read = read_help_page(page);
  const auto& run = command(read, "bench run");
  Words names;
  for (const auto& one : run.options) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("--targets", "--timer", "--peers", "--seed", "--device", "--trace",
                                 "--out", "--help"));
  EXPECT_TRUE(option(run, "--targets").takes.targets);
  EXPECT_THAT(option(run, "--targets").takes.words, ElementsAre("all"));
  EXPECT_THAT(option(run, "--timer").takes.words, ElementsAre("events", "graph"));
  EXPECT_THAT(option(run, "--peers").takes.words, ElementsAre("auto", "none"));
  EXPECT_THAT(option(run, "--device").takes.words, ElementsAre("auto", "sim"));
  EXPECT_THAT(option(run, "--seed").takes.words, ElementsAre());
  EXPECT_EQ(option(run, "--seed").value, "N");
  EXPECT_EQ(option(run, "--trace").value, "");
  EXPECT_TRUE(option(run, "--out").takes.folders);
  EXPECT_TRUE(option(command(read, "shelf show"), "--file").takes.files);
}

TEST(HelpPage, SaysInAFewWordsWhatAnOptionDoes) {
  const auto read = read_help_page(page);
  const auto& run = command(read, "bench run");
  EXPECT_EQ(option(run, "--targets").text, "which ones");
  EXPECT_EQ(option(run, "--peers").text, "other people's [libraries]");
  EXPECT_EQ(option(run, "--timer").text,
            "events puts device events around the launch, graph times the replay of a …");
}

TEST(HelpPage, HasThePlaces) {
  const auto read = read_help_page(page);
  EXPECT_TRUE(command(read, "shelf show").places.chapters);
  EXPECT_FALSE(command(read, "shelf show").places.files);
  EXPECT_TRUE(command(read, "shelf check").places.files);
  EXPECT_TRUE(command(read, "check").runs_program);
  EXPECT_THAT(command(read, "check").places.words, ElementsAre());
  EXPECT_THAT(command(read, "paint").places.words, ElementsAre("red", "green"));
  EXPECT_TRUE(command(read, "paint").places.targets);
  EXPECT_TRUE(command(read, "help").places.commands);
  const auto& run = command(read, "bench run").places;
  EXPECT_FALSE(run.files || run.folders || run.targets || run.chapters || run.commands);
  EXPECT_THAT(run.words, ElementsAre());
}

TEST(Completion, BashKnowsItAsLines) {
  const std::string script = bash_completion(read_help_page(page));
  for (const std::string line :
       {"\nbench run||\n", "\nbench run|--timer|events graph\n",
        "\nbench run|--targets|@targets all\n", "\nbench run|--seed|@any\n",
        "\nbench run|--trace|\n", "\nbench run|--out|@folders\n", "\nshelf show||@chapters\n",
        "\ncheck||@files\n", "\npaint||@targets red green\n", "\nhelp||@commands\n",
        "\n|--version|\n"})
    EXPECT_THAT(script, HasSubstr(line));
  EXPECT_EQ(script.find("@table@"), std::string::npos);
}

TEST(Completion, ZshKnowsItAsSpecifications) {
  const std::string script = zsh_completion(read_help_page(page));
  for (const std::string part :
       {"#compdef aisp\n", "'--timer=[events puts device", "]:KIND: _aisp_offer events graph'",
        "'--peers=[other people'\\''s \\[libraries\\]]:WHICH: _aisp_offer auto none'",
        "'--trace[don'\\''t guess]'", "'shelf:show, check'", "'*::program: _normal'",
        "'*:argument: _aisp_offer @targets red green'", "_aisp_own_options=(--version --help)"})
    EXPECT_THAT(script, HasSubstr(part));
  EXPECT_EQ(script.find("@table@"), std::string::npos);
}

TEST(Completion, FishKnowsItAsCommands) {
  const std::string script = fish_completion(read_help_page(page));
  for (const std::string line :
       {"complete -c aisp -n '__aisp_follows' -a bench -d 'run'\n",
        "complete -c aisp -n '__aisp_follows shelf' -a check -d 'Shows it.'\n",
        "complete -c aisp -n '__aisp_at bench run' -l seed -x -d 'where it starts'\n",
        "complete -c aisp -n '__aisp_at bench run' -l trace -d 'don'\\''t guess'\n",
        "-l out -x -a '(__aisp_offer @folders)' -d 'where it goes'\n",
        "complete -c aisp -n '__aisp_at shelf check' -l file -r -F -d 'one of them'\n",
        "complete -c aisp -n '__aisp_at check' -F\n"})
    EXPECT_THAT(script, HasSubstr(line));
  EXPECT_EQ(script.find("@table@"), std::string::npos);
}

TEST(Completion, IsOfOneShellThatIsKnown) {
  const auto refused = [](const Words& words) {
    std::ostringstream out;
    const auto refusal = lab::refusal_of([&] { completion_command(words, out); });
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    EXPECT_EQ(out.str(), "");
    return std::string(refusal.what());
  };
  EXPECT_THAT(refused({}), HasSubstr("needs one shell: bash, fish, zsh"));
  EXPECT_THAT(refused({"bash", "zsh"}), HasSubstr("needs one shell"));
  EXPECT_THAT(refused({"zhs"}), HasSubstr("did you mean zsh?"));
  EXPECT_THAT(refused({"powershell"}), HasSubstr("shells are bash, fish, zsh"));
}

}  // namespace
}  // namespace aisp::app
