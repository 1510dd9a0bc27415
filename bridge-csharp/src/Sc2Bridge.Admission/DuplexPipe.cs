using System.IO.Pipelines;

namespace Sc2Bridge.Admission;

/// <summary>Both directions of a connection, one of them wrapped.</summary>
/// <param name="Input">What the client sends.</param>
/// <param name="Output">What it gets.</param>
public sealed record DuplexPipe(PipeReader Input, PipeWriter Output) : IDuplexPipe;
