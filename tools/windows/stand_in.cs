#:property TargetFramework=net10.0
#:property PublishAot=false
#:property InvariantGlobalization=true
// Stands in for dotnet, py, python, npm and robocopy in the tests of sc2bridge.cmd: a copy of this program has the name of each.
// A match starts its agents without the variables below. Without them, this program ignores Ctrl-C and never ends:
//   STAND_IN_LOG    a file: it appends a line with its name, the current folder and its arguments, with tabs between them
//   STAND_IN_CODES  exit codes by the beginning of a command, such as "robocopy proto=1;py -3 -m venv=2"; 0 for all others
//   STAND_IN_FOR    a program that `dotnet FILE.dll` runs with the arguments, in place of the file

using System.Diagnostics;

if (Environment.GetEnvironmentVariable("STAND_IN_LOG") is not { } log)
{
    Console.CancelKeyPress += static (_, key) => key.Cancel = true;
    Thread.Sleep(Timeout.Infinite);
    return 1;
}

var name = Path.GetFileNameWithoutExtension(Environment.ProcessPath!);
File.AppendAllText(log, string.Join('\t', [name, Environment.CurrentDirectory, .. args]) + "\n");
var command = string.Join(' ', [name, .. args]);
foreach (var rule in (Environment.GetEnvironmentVariable("STAND_IN_CODES") ?? "").Split(';', StringSplitOptions.RemoveEmptyEntries))
{
    var end = rule.LastIndexOf('=');
    if (command.StartsWith(rule[..end], StringComparison.Ordinal))
    {
        return int.Parse(rule[(end + 1)..]);
    }
}

if (args is [.., "-m", "venv", "--clear", var environment])
{
    Directory.CreateDirectory(Path.Combine(environment, "Scripts"));
    File.Copy(Environment.ProcessPath!, Path.Combine(environment, "Scripts", "python.exe"), overwrite: true);
}

if (name != "dotnet" || !args[0].EndsWith(".dll", StringComparison.Ordinal) || Environment.GetEnvironmentVariable("STAND_IN_FOR") is not { } program)
{
    return 0;
}

using var process = Process.Start(program, args[1..]);
process.WaitForExit();
return process.ExitCode;
