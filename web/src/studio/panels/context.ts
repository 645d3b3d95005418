// What every panel needs: the session and the view, by a Preact context.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FieldProblem } from '../../ui/controls';
import type { Session } from '../session';
import type { StageView } from '../stageview';

export interface Studio { session: Session; stage: StageView | undefined }

export const StudioContext = createContext<Studio | undefined>(undefined);

export function useStudio(): Studio {
  const studio = useContext(StudioContext);
  if (!studio) throw new Error('no studio');
  return studio;
}

// The problem that the check found at exactly this place of the scene, or below it.
export function problemAt(session: Session, path: string, below = false): FieldProblem | undefined {
  return session.problems.value.find((p) => p.path === path || (below && (p.path.startsWith(`${path}.`) || p.path.startsWith(`${path}[`))));
}
