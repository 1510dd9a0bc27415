using System.IO.Pipelines;

namespace Sc2Bridge.Admission;

/// <summary>Both directions of a connection. One direction can be wrapped, for example to count its bytes.</summary>
/// <param name="Input">Reads the client's data.</param>
/// <param name="Output">Writes data to the client.</param>
public sealed record DuplexPipe(PipeReader Input, PipeWriter Output) : IDuplexPipe;
